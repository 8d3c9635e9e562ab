/** Sample data: fixed, so that two screenshots differ only if the components do. */
import type { CopyTexts } from "@countersign/ui/components/copy-button.tsx"
import type { PayloadViewTexts } from "@countersign/ui/patterns/payload-view.tsx"
import type { TimeLeft } from "@countersign/ui/patterns/time-left.ts"

export const now = Date.parse("2026-11-21T13:02:11Z")
export const hubNow = () => now
export const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

export const copyTexts: CopyTexts = { copy: "Copy", copied: "Copied", refused: "Not allowed by the browser" }

const words: Readonly<Record<TimeLeft["unit"], string>> = {
  over: "",
  seconds: "s",
  minutes: "min",
  hours: "h",
  days: "days"
}
export const leftText = ({ unit, count }: TimeLeft) => unit === "over" ? "expired" : `${count} ${words[unit]} left`

const reasons = {
  bidi: "reorders the text",
  control: "is a control character",
  invisible: "is not seen",
  unknown: "has no known form",
  lookalike: "passes for another"
} as const

export const payloadTexts: PayloadViewTexts = {
  label: "Payload",
  form: "Form",
  json: "JSON",
  diff: "Against the last",
  masked: "masked",
  undescribed: "not in the schema",
  empty: "empty",
  items: (count) => count === 1 ? "1 item" : `${count} items`,
  search: "Search the payload",
  matches: (count) => count === 1 ? "1 match" : `${count} matches`,
  fold: "Fold",
  unfold: "Unfold",
  more: (left) => `Show more, ${left} lines left`,
  copyJson: { ...copyTexts, copy: "Copy JSON" },
  reason: (reason, like) =>
    like === undefined ? `This character ${reasons[reason]}` : `This character looks like ${like}`,
  same: "Nothing differs from the last one that was approved.",
  added: "added",
  removed: "removed",
  changed: "changed",
  notComparable: "can't be compared",
  unchangedCount: (count) => `${count} the same: show them`
}

export const digests = [
  "3fa92c1b7d0e45a8c1f2",
  "d4417ce09b3a62f5018e",
  "07b8e3f6a1d95c24ee10",
  "a95d02c7f4186be3902b",
  "5ce81f3a60d79b2471fa",
  "f0142b9dc8763ea50dd1"
].map((head) => head.padEnd(64, "0"))

export const schema = {
  type: "object",
  properties: {
    to: { type: "string", title: "Number to call", description: "E.164" },
    voice: { type: "string", title: "Voice" },
    script: { type: "string", title: "What is said" },
    options: {
      type: "object",
      title: "Options",
      properties: {
        max_minutes: { type: "integer", title: "At most, in minutes" },
        record: { type: "boolean", title: "Record" }
      }
    },
    token: { type: "string", title: "Access token", writeOnly: true }
  }
}

export const payload = {
  to: "+41 44 668 18 00",
  voice: "ada",
  script: "Good afternoon. I am calling about invoice 2044 from p\u0430ypal.com, which is due on Friday.\n"
    + "Please confirm with \u202ereference 7731\u202c.",
  options: { max_minutes: 6, record: false },
  token: { $masked: true },
  callback: "https://hooks.example.com\u2044calls"
}

export const previousPayload = {
  to: "+41 44 668 18 00",
  voice: "bruno",
  script: "Good afternoon. I am calling about invoice 2044.",
  options: { max_minutes: 4, record: false, retries: 2 },
  token: { $masked: true }
}

export interface RequestSample {
  readonly id: string
  readonly status: string
  readonly agent: string
  readonly operation: string
  readonly cost_cents: number
  readonly created_at: string
}

const statuses = ["executed", "executed", "running", "approval_required", "executed", "blocked", "failed", "executed"]
const agents = ["Scout", "Bookkeeper", "Night Watch", "Researcher"]
const operations = ["search.web", "voice.call", "mail.send", "images.render", "sheets.append"]

export const requestSample = (index: number): RequestSample => ({
  id: `req_01jd8x4k2m9q7r5t${String(index).padStart(6, "0")}`,
  status: statuses[index * 7 % 8] ?? "executed",
  agent: agents[index * 3 % 4] ?? "Scout",
  operation: operations[index * 11 % 5] ?? "search.web",
  cost_cents: index * 37 % 9 === 0 ? 124000 + index : index * 53 % 700,
  created_at: at(-index * 7)
})

export const days = Array.from({ length: 30 }, (_, index) => {
  const date = new Date(Date.parse("2026-10-23T00:00:00Z") + index * 86_400_000).toISOString().slice(0, 10)
  const weekend = index % 7 === 1 || index % 7 === 2
  const swing = (index * 37) % 19
  return {
    date,
    values: weekend
      ? [40 * swing, 0, 0]
      : [900 + 210 * swing, 350 + 90 * ((index * 11) % 13), index % 6 === 0 ? 420 : 0]
  }
})
