/** The events that people are notified of, the places, and the defaults. Pure. Spec: reference/notices.md "Events". */

export const noticeEvents = [
  "approval.created",
  "agent_request.created",
  "budget.alert",
  "run.failed",
  "app.needs_reauth",
  "webhook_endpoint.disabled"
] as const
export type NoticeEvent = typeof noticeEvents[number]

export const noticePlaces = ["desktop", "browser", "email", "channel"] as const
export type NoticePlace = typeof noticePlaces[number]

export type NoticePlaces = Readonly<Record<NoticePlace, boolean>>

const places = (desktop: boolean, browser: boolean, email: boolean, channel: boolean): NoticePlaces => ({
  desktop,
  browser,
  email,
  channel
})

/** The settings of a person who changed nothing. */
export const noticeDefaults: Readonly<Record<NoticeEvent, NoticePlaces>> = {
  "approval.created": places(true, true, true, false),
  "agent_request.created": places(true, true, false, false),
  "budget.alert": places(false, false, true, false),
  "run.failed": places(false, false, false, false),
  "app.needs_reauth": places(false, false, true, false),
  "webhook_endpoint.disabled": places(false, false, true, false)
}

export const digestMinutesDefault = 5
export const digestMinutesMax = 1_440
/** The first mail about pending approvals waits this long, so that a quick decision saves it. */
export const firstMailSeconds = 60
/** The most browsers of one person; a new one replaces the oldest. */
export const pushSubscriptionsMax = 20
/** How long a link of a mail works. */
export const linkDays = 14
