/** A notice in the components of Discord. Pure. All text of others is escaped, and cannot mention anybody. */
import type { DecisionButton, FormFacts, Notice } from "./notice.ts"

/** Markdown, mentions, and times of Discord. A character of width 0 keeps `@` from becoming a mention. */
export const escapeDiscord = (text: string): string =>
  text.replace(/[\\*_~`|>#<[\]()-]/g, "\\$&").replaceAll("@", "@\u200b").replace(/(https?):\/\//gi, "$1:\u200b//")

export const noMentions = { parse: [] } as const

type Component = Readonly<Record<string, unknown>>

const styles = { primary: 3, danger: 4, plain: 2, link: 5 } as const
const row = (components: ReadonlyArray<Component>): Component => ({ type: 1, components })
/** Buttons of one row. */
const rowMax = 5
const contentMax = 2_000
/** A link in the text of others shows no card. */
const suppressEmbeds = 4
const labelMax = 80

const buttonOf = ({ label, style, value }: DecisionButton): Component => ({
  type: 2,
  style: styles[style],
  label: label.slice(0, labelMax),
  custom_id: value
})

const rowsOf = (buttons: ReadonlyArray<Component>): ReadonlyArray<Component> =>
  Array.from(
    { length: Math.ceil(buttons.length / rowMax) },
    (_, at) => row(buttons.slice(at * rowMax, (at + 1) * rowMax))
  )

const cut = (text: string, max: number): string =>
  text.length <= max ? text : max <= 0 ? "" : `${text.slice(0, max - 1)}…`

/** The body of a new message, or of its change. */
export const discordMessage = (notice: Notice): Readonly<Record<string, unknown>> => {
  const { amount, buttons, expiresAt, isOpen, isTest, lines, mentions = [], reason, seal, states, title, url } = notice
  const context = [
    ...(seal === undefined ? [] : [`Seal ${seal}`]),
    ...(expiresAt === undefined || !isOpen ? [] : [`Expires <t:${Math.floor(expiresAt.getTime() / 1_000)}:f>`])
  ]
  const head = `**${isTest ? "Test: " : ""}${amount === undefined ? "" : `${amount} · `}${escapeDiscord(title)}**`
  const body = [
    ...lines.map(({ label, value }) => `${escapeDiscord(label)}: ${escapeDiscord(value)}`),
    ...(reason === undefined ? [] : [`Reason: ${escapeDiscord(reason)}`])
  ].join("\n")
  const tail = [
    ...states.map(escapeDiscord),
    ...(mentions.length === 0 ? [] : [mentions.map((account) => `<@${account}>`).join(" ")]),
    ...(context.length === 0 ? [] : [context.join(" · ")])
  ].join("\n")
  // What the agent wrote gives way: it cannot displace the decision and the seal.
  const parts = [head, cut(body, contentMax - head.length - tail.length - 2), tail]
  return {
    content: cut(parts.filter((part) => part !== "").join("\n"), contentMax),
    flags: suppressEmbeds,
    allowed_mentions: mentions.length === 0 ? noMentions : { parse: [], users: mentions },
    components: rowsOf([
      ...buttons.map(buttonOf),
      { type: 2, style: styles.link, label: "Open", url }
    ])
  }
}

/** A dialog with one text. The id of its text names the message from which it was opened. */
export const discordForm = (value: string, { label, max, required, title }: FormFacts, message: string): Component => ({
  custom_id: value,
  title: title.slice(0, 45),
  components: [row([{
    type: 4,
    custom_id: `text:${message}`,
    label: label.slice(0, 45),
    style: 2,
    required,
    max_length: max
  }])]
})

/** The message that the id of a form's text names. */
export const formMessage = (customId: string): string | undefined => /^text:([0-9]{1,24})$/.exec(customId)?.[1]
