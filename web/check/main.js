// The page Check. It shows the exercise that the address names, or the list of exercises.

import { translate, language } from "../language.js";
import { ExerciseView } from "./exercise_view.js";
import { ListView } from "./list_view.js";
import { Progress } from "./progress.js";
import { isStored, memory } from "./store.js";
import { megabytes, words } from "./strings.js";

const $ = (id) => document.getElementById(id);

async function json(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response.json();
}

async function begin() {
  const [exercises, { downloads }] = await Promise.all([json(`exercises.${language}.json`), json("downloads.json")]);
  const progress = new Progress(exercises), list = new ListView(exercises, progress), view = new ExerciseView(exercises, downloads, progress);

  async function show() {
    const name = location.hash.slice(1), opened = view.open(name);
    $("list").hidden = opened;
    $("exercise").hidden = !opened;
    const cost = await isStored(downloads) ? words.stored(memory) : words.cost(megabytes(view.total), memory);
    $("cost").textContent = $("download").textContent = cost;
    if (opened) $("title").focus();
    else list.draw();
    window.scrollTo(0, 0);
  }

  window.onhashchange = show;
  await show();
}

translate(words, "../../");
navigator.serviceWorker?.register("service.js").catch(() => {});  // if this fails, the page works only online
begin().catch((error) => { $("message").textContent = error.message; });
