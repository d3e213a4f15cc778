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
  const answer = form.querySelector(".answer");
  const said = (words, isRefused) => {
    answer.replaceChildren(...words);
    answer.classList.toggle("refused", isRefused);
    answer.hidden = false;
  };
  let response, page;
  try {
    response = await fetch(address, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return said(["The server cannot be reached; nothing is lost here, try again"], true);
  }
  if (!response.ok) {
    const refusal = page.querySelector(".said.refused:not([hidden])[role=alert]");
    return said(refusal ? [...refusal.childNodes] : [`Not done: the server answered ${response.status}; load the page again`], true);
  }
  if (new URL(response.url).pathname !== location.pathname) return location.assign(response.url);
  const done = page.getElementById("done");
  state = stateOf(page) ?? state;
  said(done ? [...done.childNodes] : ["Done."], false);
  for (const field of form.querySelectorAll("[data-once]")) field.value = "";
}

for (const form of document.querySelectorAll("form[method=post]")) {
  let isSent = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isSent) return;
    isSent = true;
    await send(form, event.submitter);
    isSent = false;
  });
}
