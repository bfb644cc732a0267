"use strict";
// Asks the browser for a passkey and posts its answer with the form. The pages for signing in have no other script.
const form = document.querySelector("form[data-passkey]");
const button = form.querySelector("button");
const options = JSON.parse(form.dataset.passkey);
const makes = "makes" in form.dataset;

function show(id) {
  for (const alert of document.querySelectorAll("[role=alert]")) alert.hidden = alert.id !== id;
}

async function ask() {
  show("");
  button.disabled = true;
  try {
    const answer = makes
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    form.elements.answer.value = JSON.stringify(answer);
    form.submit();
  } catch (fault) {
    show(fault.name === "InvalidStateError" ? "known" : "none");
    button.disabled = false;
  }
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  document.getElementById("needs").hidden = true;
  button.disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  if (!makes) ask();
}
