// The portal in a real browser: every page in both languages and both colour schemes, by keyboard only, without a script, and with
// words that would rather be markup. Run by ../portal.sh.
//
//   node check.mjs PROGRAM CONVERSATION [SHOTS]
//
// PROGRAM is the built `testimony`, CONVERSATION a file that `testimony observe` reads, SHOTS a folder for screenshots. The browser
// is Playwright's own, or the one that PORTAL_CHROMIUM names.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { chromium } from "playwright";

const [program, conversation, shots] = process.argv.slice(2);
if (!program || !conversation) {
  console.error("usage: node check.mjs PROGRAM CONVERSATION [SHOTS]");
  process.exit(2);
}

/** The clock of everything here, so that a run can be repeated. */
const NOW = "2026-05-01T12:00:00Z";

/** What would run, or turn the page around, if words were markup: a document's words, and words that the gate takes as the owner's. */
const HOSTILE = `</title><script>window.hostile=1</script>"><img src=x onerror="window.hostile=2"> \u202eolleh '<b>`;
const HOSTILE_NOTE = `My note is "><img src=x onerror='window.hostile=3'></bdi><b>bold \u202eolleh\u2066 '`;

let passed = 0;
const failures = [];

/** Counts a check; one that fails is told at once and ends the run at its end. */
function check(what, holds, detail = "") {
  if (holds) {
    passed += 1;
  } else {
    failures.push(what);
    console.error(`failed: ${what}${detail ? `\n    ${detail}` : ""}`);
  }
}

// ---- a memory to look at ----

const data = mkdtempSync(join(tmpdir(), "portal-"));
const before = (now, ...words) => ["--data", data, "--now", now, "--json", ...words];

/** Runs the program; 1 says that something was refused, which the demo wants. */
function testimony(now, ...words) {
  try {
    return execFileSync(program, before(now, ...words), { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status !== 1) throw error;
    return error.stdout;
  }
}

// What was said in March was heard in March, the correction in April: so the picture of a fact has two steps.
const said = readFileSync(conversation, "utf8").trimEnd().split("\n");
for (const [now, lines] of [["2026-03-10T09:00:00Z", said.slice(0, 8)], ["2026-04-20T09:00:00Z", said.slice(8)]]) {
  const file = join(data, "said.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  testimony(now, "observe", file);
}
testimony("2026-04-21T09:00:00Z", "remember", "The spare key is with Iva, in the blue house at the end of the street");
testimony("2026-04-21T10:00:00Z", "remember", "I prefer short answers with the conclusion first", "--kind", "preference");
const note = JSON.parse(testimony("2026-04-22T09:00:00Z", "remember", HOSTILE_NOTE));
check("a hostile note is a memory", note.admitted.length > 0, JSON.stringify(note.refused));
writeFileSync(
  join(data, "hostile.jsonl"),
  `${JSON.stringify({
    source: { kind: "document", ref: HOSTILE, title: HOSTILE },
    author: "external",
    event_time: "2026-04-02T09:00:00Z",
    text: `Somebody wrote: ${HOSTILE}`,
  })}\n`,
);
testimony("2026-04-22T10:00:00Z", "observe", join(data, "hostile.jsonl"));
const turn = JSON.parse(testimony("2026-04-23T09:00:00Z", "turn", "Find a time for a meeting about Alpha and its headcount"));
if (turn.selected.length > 0) testimony("2026-04-23T09:00:01Z", "used", turn.turn, "M1");
testimony("2026-04-24T09:00:00Z", "turn", "Thanks!");
const key = JSON.parse(
  testimony(NOW, "access", "create", "browser", "--all-subjects", ...["read", "write", "forget", "admin"].flatMap((scope) => ["--scope", scope])),
).key;

// ---- the server ----

const server = spawn(program, [...before(NOW, "serve", "--listen", "127.0.0.1:0")], { stdio: ["ignore", "pipe", "pipe"] });
let log = "";
server.stderr.on("data", (text) => (log += text));
const base = await new Promise((found, failed) => {
  let said = "";
  server.stdout.on("data", (text) => {
    said += text;
    if (said.includes("\n")) found(said.trim());
  });
  server.on("exit", () => failed(new Error(`the server ended:\n${log}`)));
});

const browser = await chromium.launch({
  executablePath: process.env.PORTAL_CHROMIUM || undefined,
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});

/** A window of its own, whose complaints are checked: errors of scripts, dialogs, and what the page's policy had to stop. */
async function open(options = {}) {
  const context = await browser.newContext({ baseURL: base, locale: "en-GB", viewport: { width: 1280, height: 900 }, ...options });
  // It runs beside tests that use the whole machine.
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => check("no script fails", false, String(error)));
  page.on("dialog", async (dialog) => {
    check("no page opens a dialog", false, dialog.message());
    await dialog.dismiss();
  });
  page.on("console", (said) => {
    if (said.type() === "error" && !said.text().includes("status of 4")) check("the console is quiet", false, said.text());
  });
  return page;
}

async function signIn(page, back = "/portal/memory") {
  await page.goto(`/portal/sign-in?back=${encodeURIComponent(back)}`);
  await page.fill("#key", key);
  await page.press("#key", "Enter");
  await page.waitForURL((url) => url.pathname === back);
}

/** The first link of a page whose address begins so. */
async function link(page, place, begins) {
  await page.goto(place);
  return page.locator(`main a[href^="${begins}"]`).first().getAttribute("href");
}

/** Every kind of page, by name. */
async function everyPage(page) {
  const fact = async (words) => (await link(page, `/portal/search?q=${encodeURIComponent(words)}`, "/portal/facts/")).split("#");
  const [meetings, meeting] = await fact("when can meetings start");
  const [disputed] = await fact("headcount of Acme");
  const source = await link(page, "/portal/sources", "/portal/sources/");
  const pages = {
    memory: "/portal/memory",
    class: "/portal/memory?class=note",
    moment: "/portal/memory?valid_at=2026-03-10T12%3A00&believed_at=2026-04-20T12%3A00",
    fact: meetings,
    disputed,
    evidence: await link(page, source, "/portal/evidence/"),
    hostile: note.admitted.map((one) => `/portal/facts/${one.fact}`)[0],
    disputes: "/portal/disputes",
    turns: "/portal/turns",
    turn: `/portal/turns/${turn.turn}`,
    sources: "/portal/sources",
    source,
    search: "/portal/search",
    found: "/portal/search?q=meetings+Alpha",
    messages: "/portal/search?q=Acme&grain=evidence",
    nothing: "/portal/search?q=zzzz",
    timeline: "/portal/timeline",
    health: "/portal/health?verify=yes",
    keys: "/portal/keys",
    correct: `/portal/memories/${meeting}/correct`,
    forget: `/portal/forget?id=${meeting}`,
    everything: "/portal/forget?everything=yes",
    missing: "/portal/facts/fa_0",
  };
  // A draft, so that the preview of a correction is looked at, too.
  await page.goto(pages.correct);
  await page.fill("#text", "10:30");
  await page.click('button[value="preview"]');
  await page.waitForSelector(".preview");
  return pages;
}

/** What axe finds of consequence. */
async function axeFinds(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
}

const looks = [
  { language: "en", scheme: "light" },
  { language: "en", scheme: "dark" },
  { language: "hr", scheme: "light" },
  { language: "hr", scheme: "dark" },
];

for (const { language, scheme } of looks) {
  const page = await open({ locale: language === "hr" ? "hr-HR" : "en-GB", colorScheme: scheme });
  const places = { "sign-in": "/portal/sign-in" };
  const look = async (name, place) => {
    const what = `${name} (${language}, ${scheme})`;
    const answer = await page.goto(place);
    check(`${what} is answered`, answer.status() === (name === "missing" ? 404 : 200), `${answer.status()}`);
    check(`${what} says its language`, (await page.getAttribute("html", "lang")) === language);
    check(`${what} has one first heading`, (await page.locator("h1").count()) === 1);
    const found = await axeFinds(page);
    const told = found.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`).join("\n    ");
    check(`axe finds nothing serious on ${what}`, found.length === 0, told);
    const hostile = await page.evaluate(() => ({
      ran: window.hostile,
      images: document.querySelectorAll("main img, main script, main b").length,
      scripts: [...document.scripts].map((script) => new URL(script.src).pathname).join(),
    }));
    check(`words are no markup on ${what}`, !hostile.ran && hostile.images === 0 && hostile.scripts === "/portal/script.js", JSON.stringify(hostile));
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(`${what} fits ${width} px`, wide <= width, `it is ${wide} px wide`);
      if (shots) {
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${name}-${language}-${scheme}-${width}.png`), fullPage: true });
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };
  for (const [name, place] of Object.entries(places)) await look(name, place);
  await signIn(page);
  for (const [name, place] of Object.entries(await everyPage(page))) await look(name, place);
  await page.context().close();
}

// ---- by keyboard only ----

/** Goes on by the tabulator until something is focused that fits; everything on the way must be seen to have the focus. */
async function tabTo(page, what, fits) {
  const seen = new Set();
  for (let step = 0; step < 250; step += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return null;
      const style = getComputedStyle(one);
      one.dataset.place ??= String(Math.random());
      return {
        place: one.dataset.place,
        tag: one.tagName.toLowerCase(),
        id: one.id,
        href: one.getAttribute("href") ?? "",
        value: one.getAttribute("value") ?? "",
        text: one.textContent.trim(),
        visible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
      };
    });
    if (!focused) continue;
    if (!focused.visible) check(`the focus is seen on ${focused.tag} "${focused.text}"`, false);
    if (fits(focused)) {
      check(`${what} is reached by keyboard`, true);
      return;
    }
    // A trap would keep the focus among few things before what is looked for.
    seen.add(focused.place);
  }
  check(`${what} is reached by keyboard`, false, `${seen.size} other things were`);
  throw new Error(`stuck before ${what}`);
}

/** A deed that ends on another page. */
async function press(page, name) {
  await Promise.all([page.waitForNavigation(), page.keyboard.press(name)]);
}

{
  const page = await open();
  await page.goto("/portal/sign-in");
  await tabTo(page, "the way past the head of the page", (one) => one.href === "#main");
  await page.keyboard.press("Enter");
  check("it leads to the content", await page.evaluate(() => document.activeElement?.id === "main"));
  await tabTo(page, "the field for a key", (one) => one.id === "key");
  await page.keyboard.type(key);
  await press(page, "Enter");
  await tabTo(page, "the search", (one) => one.href === "/portal/search");
  await press(page, "Enter");
  await tabTo(page, "the field for words", (one) => one.id === "q");
  await page.keyboard.type("when can meetings start");
  await press(page, "Enter");
  check("what was found is told to a screen reader", (await page.locator('main [role="status"]').count()) === 1);
  await tabTo(page, "the first answer", (one) => one.href.startsWith("/portal/facts/"));
  await press(page, "Enter");
  check("a receipt marks the quote", (await page.locator("blockquote mark").count()) > 0);
  check("the picture is told in words", (await page.locator("svg.chart > title").count()) === 1 && (await page.locator("svg.chart > desc").textContent()).length > 80);
  await tabTo(page, "correcting", (one) => one.href.endsWith("/correct"));
  await press(page, "Enter");
  await tabTo(page, "the field for what is right", (one) => one.id === "text");
  await page.keyboard.type("No meetings before 11:15");
  await tabTo(page, "the preview", (one) => one.value === "preview");
  await press(page, "Enter");
  const refused = await page.locator('.preview [role="alert"]').count();
  if (refused) {
    await tabTo(page, "the field again", (one) => one.id === "text");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("11:15");
    await tabTo(page, "the preview again", (one) => one.value === "preview");
    await press(page, "Enter");
  }
  check("the preview shows what would begin", (await page.locator(".preview").textContent()).includes("11:15"));
  await tabTo(page, "the correction", (one) => one.value === "correct");
  await press(page, "Enter");
  check("the fact is corrected", (await page.locator(".notice").textContent()).includes("corrected"));
  check("what it says now is told", (await page.locator("main .card .value").first().textContent()).includes("11:15"));
  await tabTo(page, "forgetting", (one) => one.href.startsWith("/portal/forget?id=ve_"));
  await press(page, "Enter");
  check("what would go is shown first", (await page.locator("ul.fates li").count()) > 0);
  await tabTo(page, "forgetting for good", (one) => one.tag === "button" && one.text === "Forget it for good");
  await press(page, "Enter");
  check("the receipt is borne out", (await page.locator("main").textContent()).includes("The chain bears it out"));
  check("nothing of it was left", (await page.locator(".notice").textContent()).includes("nothing of it was found"));
  await page.context().close();
}

// ---- without a script ----

{
  const page = await open({ javaScriptEnabled: false });
  await signIn(page);
  const places = await everyPage(page);
  for (const [name, place] of Object.entries(places)) {
    const answer = await page.goto(place);
    check(`${name} works without a script`, answer.status() === (name === "missing" ? 404 : 200) && (await page.locator("h1").count()) === 1);
  }
  await page.goto("/portal/memory");
  await page.click('button[name="language"]');
  check("the language changes without a script", (await page.getAttribute("html", "lang")) === "hr");
  await page.click('button[name="language"]');
  await page.fill("#zone", "Europe/Zagreb");
  await page.click('form.zone button[type="submit"]');
  check("times are told in another zone", /CES?T/.test(await page.locator("main time").first().textContent()));
  await page.goto(places.correct);
  await page.fill("#text", "08:45");
  await page.click('button[value="preview"]');
  await page.click('button[value="correct"]');
  check("a fact is corrected without a script", (await page.locator("main .card .value").first().textContent()).includes("8:45"));
  await page.locator('main a[href^="/portal/forget?id=ve_"]').first().click();
  await page.click('main form[action="/portal/forget"] button');
  check("and forgotten", (await page.locator("main").textContent()).includes("The chain bears it out"));
  await page.goto("/portal/disputes");
  await page.locator('input[type="radio"]').first().check();
  await page.locator('textarea[name="reason"]').first().fill("The audited report counts.");
  await page.locator('main form[action="/portal/disputes"] button').first().click();
  check("a dispute is decided without a script", (await page.locator(".notice").textContent()).includes("It is decided"));
  await page.goto("/portal/keys");
  await page.fill("#name", "phone");
  await page.fill("#subjects", "me");
  await page.click('main form[action="/portal/keys"] button');
  check("a key is made and shown", /^testimony_/.test(await page.locator("code.key").textContent()));
  await page.reload();
  check("but once", (await page.locator("code.key").count()) === 0);
  await page.click('form[action="/portal/sign-out"] button');
  await page.goto("/portal/memory");
  check("whoever signs out is out", new URL(page.url()).pathname === "/portal/sign-in");
  await page.context().close();
}

// ---- with one: the sliders ----

{
  const page = await open();
  await signIn(page);
  await page.click("details.moments > summary");
  const sliders = page.locator('details.moments input[type="range"]');
  check("each clock has a slider", (await sliders.count()) === 2);
  await sliders.nth(1).focus();
  await page.keyboard.press("Home");
  const asked = await page.inputValue("#believed_at");
  check("a slider moves its field", asked.startsWith("2026-03-10T"), asked);
  check("and says where it is", (await sliders.nth(1).getAttribute("aria-valuetext")) === asked);
  await page.click('details.moments button[type="submit"]');
  check("the page is of that moment", new URL(page.url()).searchParams.get("believed_at") === asked);
  check("and says so", (await page.locator('main p[role="status"]').textContent()).includes("10 March 2026"));
  await page.context().close();
}

// ---- the end ----

{
  const page = await open({ javaScriptEnabled: false });
  await signIn(page);
  await page.goto("/portal/health");
  await page.click('main a[href="/portal/forget?everything=yes"]');
  await page.fill("#named", "somebody");
  await page.click('main form[action="/portal/forget"] button');
  check("another's name forgets nothing", (await page.locator(".notice").textContent()).includes("not whose memory this is"));
  await page.fill("#named", "me");
  await page.click('main form[action="/portal/forget"] button');
  check("everything is forgotten", (await page.locator("main").textContent()).includes("The chain bears it out"));
  await page.goto("/portal/memory");
  check("and nothing is left", (await page.locator("main .empty").count()) === 1);
  await page.context().close();
}

await browser.close();
server.kill("SIGTERM");
await new Promise((ended) => server.on("exit", ended));
check("the log holds no words", !log.includes("hostile") && !log.includes("Alpha") && !log.includes(key), log);
rmSync(data, { recursive: true });

if (failures.length > 0) {
  console.error(`portal: ${failures.length} of ${passed + failures.length} checks failed`);
  process.exit(1);
}
console.log(`portal: ${passed} checks passed`);
