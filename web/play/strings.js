// The page's texts. A reader downloads only one language.

import { language } from "./language.js";

export const { words } = await import(`./strings.${language}.js`);
