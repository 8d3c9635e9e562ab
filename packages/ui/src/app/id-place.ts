/** The screen that shows the object of an id, so that an id pasted from a log opens it. */

interface IdPlace {
  readonly id: string
  readonly route: string
  readonly href: (workspace: string) => string
}

const detail = (path: string) => (id: string): IdPlace => ({
  id,
  route: `/w/$workspace/${path}/$id`,
  href: (workspace) => `/w/${workspace}/${path}/${id}`
})

/** Requests have no separate page: the inbox shows them. */
const inInbox = (id: string): IdPlace => ({
  id,
  route: "/w/$workspace/inbox",
  href: (workspace) => `/w/${workspace}/inbox?open=${id}`
})

const byPrefix: Readonly<Record<string, (id: string) => IdPlace>> = {
  apr: detail("approvals"),
  req: detail("requests"),
  arq: inInbox,
  brq: inInbox,
  agt: detail("agents"),
  team: detail("teams"),
  dev: detail("devices"),
  wfl: detail("workflows"),
  sch: detail("schedules"),
  trg: detail("triggers"),
  whk: detail("settings/webhooks"),
  run: detail("workflow-runs"),
  // The address omits the device (`_`): the command's page finds it.
  cmd: (id) => ({
    id,
    route: "/w/$workspace/devices/$id/commands/$commandId",
    href: (workspace) => `/w/${workspace}/devices/_/commands/${id}`
  }),
  // The same, for the agent.
  dlg: (id) => ({
    id,
    route: "/w/$workspace/agents/$id/tasks/$task",
    href: (workspace) => `/w/${workspace}/agents/_/tasks/${id}`
  }),
  aud: (id) => ({ id, route: "/w/$workspace/audit", href: (workspace) => `/w/${workspace}/audit?q=${id}` })
}

export const idPlace = (text: string): IdPlace | undefined => {
  const [, id = "", prefix = ""] = /^\s*(([a-z]{3,4})_[0-7][0-9a-hjkmnp-tv-z]{25})\s*$/u.exec(text) ?? []
  return byPrefix[prefix]?.(id)
}
