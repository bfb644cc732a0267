// Runs the JavaScript of a page on given vars, and writes the drawn elements as JSON: see drawn.py.
const { readFileSync } = require("node:fs");

const { code, memos, helpers, states } = JSON.parse(readFileSync(0, "utf8"));
const MARK = Symbol("element");
const memosByName = new Map();
let sent = [];

/** Make an element, as React's function of this name does. */
function jsx(type, props, ...children) {
  const given = { ...props };
  if (children.length > 0) given.children = children;
  return { [MARK]: true, type, props: given };
}

const KNOWN = {
  jsx,
  ReflexEvent: (name, payload) => ({ name, payload }),
  addEvents: (events) => void sent.push(...events),
  getFormData: () => "<form>",
  getRefValue: () => "<ref>",
  enterKeySubmitOnKeyDown: () => undefined,
  applyEventActions: (handler) => handler,
  memo: (component) => component,
  useStateContext: (name) => states[name],
  useCallback: (handler) => handler,
  useMemo: (make) => make(),
  useEffect: () => undefined,
  useRef: () => ({ current: null }),
  useContext: () => [KNOWN.addEvents, []],
  refs: {},
  Fragment: "Fragment",
};
// A name that nothing declares is an island or an icon: it is drawn as one element of that name.
const scope = new Proxy(KNOWN, {
  has: (_, name) => typeof name === "string" && !(name in globalThis),
  get: (_, name) => (name === Symbol.unscopables ? undefined : name in KNOWN ? KNOWN[name] : name),
});

const FAKE = { value: "<value>", checked: "<checked>", id: "<id>", selectedOptions: [] };
const fakeEvent = () => ({
  target: FAKE,
  currentTarget: FAKE,
  key: "<key>",
  preventDefault: () => undefined,
  stopPropagation: () => undefined,
});

/** The events that a control sends, which are those that its handler adds. */
function eventsOf(handler, ofIsland) {
  sent = [];
  handler(...(ofIsland ? ["<0>", "<1>", "<2>", "<3>", "<4>", "<5>"] : [fakeEvent()]));
  return sent;
}

/** Refuse siblings with the same key: React would keep such elements on the page after they are gone. */
function requireDifferentKeys(siblings) {
  const keys = siblings.map((one) => one?.[MARK] && one.props.key).filter((key) => key !== undefined && key !== false);
  const repeated = keys.find((key, place) => keys.indexOf(key) < place);
  if (repeated !== undefined) throw new Error(`several elements of a list have the key "${repeated}"`);
}

/** The drawn elements and texts of a child, or of a list of children. Other values are not drawn, as in React. */
function* drawAll(value) {
  if (Array.isArray(value)) {
    requireDifferentKeys(value);
    for (const one of value) yield* drawAll(one);
  } else if (value?.[MARK]) yield* drawOne(value);
  else if (typeof value === "string" || typeof value === "number") yield String(value);
}

function* drawOne({ type, props }) {
  if (typeof type === "function") return yield* drawAll(type(props));
  if (type === "Fragment") return yield* drawAll(props.children);
  if (type === "Deferred") {
    if (props.when) yield* drawAll(jsx(memosByName.get(props.name), {}));
    return;
  }
  const drawn = { type, props: {}, events: {}, children: [] };
  const ofIsland = /^[A-Z]/.test(type);
  for (const [name, value] of Object.entries(props)) {
    if (name === "children") continue;
    if (typeof value === "function" && /^on[A-Z]/.test(name)) drawn.events[name] = eventsOf(value, ofIsland);
    else if (value?.[MARK] || (Array.isArray(value) && value.some((one) => one?.[MARK])))
      drawn.children.push(...drawAll(value));
    else if (typeof value !== "function" && name !== "css" && value !== undefined) drawn.props[name] = value;
  }
  drawn.children.push(...drawAll(props.children));
  yield drawn;
}

KNOWN.keepMemos = (all) => {
  for (const [name, memo] of Object.entries(all)) memosByName.set(name, memo);
};
const names = [...memos.matchAll(/^var (\w+) =/gm)].map(([, name]) => name);
const program = `with (scope) { ${helpers}; ${memos}; keepMemos({ ${names.join(", ")} }); return (() => { ${code} })(); }`;
const drawn = new Function("scope", program)(scope);
console.log(JSON.stringify({ type: "page", props: {}, events: {}, children: [...drawAll(drawn)] }));
