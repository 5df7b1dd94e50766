// The learner's files and progress, as the browser stores them: Check writes both, and Play reads them.

export const key = "gradus-exercises";

/** @returns {{ progress?: Object, files?: Object }} `files` maps an exercise's name to its text. Empty if nothing valid is stored. */
export function stored() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {  // invalid JSON, or storage is disabled
    return {};
  }
}

/** Replaces the stored files and progress. */
export function store(contents) {
  try {
    localStorage.setItem(key, JSON.stringify(contents));
  } catch {  // storage is full or forbidden; the page works without it
  }
}
