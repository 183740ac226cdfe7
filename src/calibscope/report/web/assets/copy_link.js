// "Copy link": the state's link goes to the clipboard, and the page says so until the next action.
// Browsers offer navigator.clipboard only over https and on this machine itself; elsewhere a
// selected field is copied, as pages did before.

function copied(text) {
  if (window.isSecureContext && navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(() => true, () => copiedBySelection(text));
  }
  return Promise.resolve(copiedBySelection(text));
}

function copiedBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  let isDone = false;
  try {
    isDone = document.execCommand("copy");
  } catch {
    isDone = false;
  }
  field.remove();
  return isDone;
}

function say(words) {
  const place = document.getElementById("copied");
  if (place) place.textContent = words;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("#copy-link");
  say("");
  if (!button) return;
  const link = new URL(button.dataset.link, location.href).href;
  const isDone = await copied(link);
  button.focus();
  say(isDone ? "Link copied." : `Not copied; the link is ${link}`);
});
document.addEventListener("input", () => say(""));
document.addEventListener("change", () => say(""));
