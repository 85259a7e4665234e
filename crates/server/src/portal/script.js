// What makes pages better where scripts run. Every page works without it.
"use strict";

// A slider under each field for an instant, over the instants at which something happened. The field stays what is sent; the
// slider only moves it. Its last place is "now", which is an empty field.
for (const field of document.querySelectorAll("input[data-places]")) {
  const places = field.dataset.places.split(" ");
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = "0";
  slider.max = String(places.length);
  slider.step = "1";
  slider.setAttribute("aria-label", field.dataset.slider);
  const told = () => field.value || field.dataset.now;
  const follow = () => {
    const later = places.findIndex((place) => place >= field.value);
    slider.value = String(field.value && later >= 0 ? later : places.length);
    slider.setAttribute("aria-valuetext", told());
  };
  slider.addEventListener("input", () => {
    field.value = places[Number(slider.value)] ?? "";
    slider.setAttribute("aria-valuetext", told());
  });
  field.addEventListener("input", follow);
  follow();
  field.after(slider);
}

// The reader's own time zone is offered first.
const zones = document.getElementById("zones");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zones && own && ![...zones.children].some((zone) => zone.value === own)) {
  const zone = document.createElement("option");
  zone.value = own;
  zones.prepend(zone);
}

// Somebody who was led to one version of a fact sees it open.
const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
if (target instanceof HTMLDetailsElement) {
  target.open = true;
}
