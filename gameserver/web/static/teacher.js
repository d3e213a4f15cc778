// Sends the teacher's forms without leaving the page, so that what stands typed in the others stays where it is.
"use strict";

// A banner tells of an act. Once the tournament has left the state that the act led to, it is no longer true.
const stateOf = (root) => root.querySelector(".phase")?.textContent;
let state = stateOf(document);
new MutationObserver(() => {
  const now = stateOf(document);
  if (now === state) return;
  state = now;
  document.getElementById("done")?.remove();
  for (const answer of document.querySelectorAll(".answer:not([hidden])")) answer.hidden = true;
}).observe(document.getElementById("main"), { childList: true, subtree: true });
// Loading the page again does not repeat the banner.
if (new URLSearchParams(location.search).has("done")) history.replaceState(null, "", location.pathname);

async function send(form, button) {
  const address = button && button.hasAttribute("formaction") ? button.formAction : form.action;
  const said = (words, isRefused, field = "") => {
    for (const other of form.querySelectorAll(".answer")) other.hidden = true;
    // A form that the stream replaces has its answer on top of the page, where the answer stays.
    const answer = form.querySelector(`.answer[data-field="${field}"]`) || document.getElementById("acted");
    answer.replaceChildren(...words);
    answer.classList.toggle("refused", isRefused);
    answer.hidden = false;
  };
  const fields = new URLSearchParams(new FormData(form));
  if (button && button.name) fields.append(button.name, button.value);
  let response, page;
  try {
    response = await fetch(address, { method: "POST", body: fields });
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return said(["The server cannot be reached; nothing is lost here, try again"], true);
  }
  if (!response.ok) {
    const refusal = page.querySelector(".said.refused:not([hidden])[role=alert]");
    return said(refusal ? [...refusal.childNodes] : [`Not done: the server answered ${response.status}; load the page again`], true, refusal?.dataset.field);
  }
  if (new URL(response.url).pathname !== location.pathname) return location.assign(response.url);
  const done = page.getElementById("done");
  state = stateOf(page) ?? state;
  said(done ? [...done.childNodes] : ["Done."], false);
  for (const field of form.querySelectorAll("[data-once]")) field.value = "";
}

const sent = new WeakSet();
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.getAttribute("method") !== "post") return;
  if (event.submitter?.hasAttribute("data-page")) return; // the answer is a page, with the form as it was typed
  event.preventDefault();
  if (sent.has(form)) return;
  sent.add(form);
  await send(form, event.submitter);
  sent.delete(form);
});

// A game that is picked in the table is written into the forms for games; what stands typed in the others stays.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-pick]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const fields = [...document.querySelectorAll("form.act input[name=pairing]")];
  if (!fields.length) return;
  event.preventDefault();
  for (const field of fields) field.value = link.dataset.pick;
  fields[0].closest("section").scrollIntoView({ block: "start" });
  fields[0].focus({ preventScroll: true });
});
