/** An entry's subject, as a link if this console has a screen for it. */
import type { ReactNode } from "react"
import { Id } from "../components/id.tsx"
import { PlaceLink } from "../listing/place-link.tsx"

const paths: Readonly<Record<string, string>> = {
  service_request: "requests",
  approval: "approvals",
  agent: "agents",
  device: "devices",
  device_command: "devices/_/commands"
}

export const SubjectLink = (
  { id, type, workspace }: { readonly type: string; readonly id: string; readonly workspace: string }
): ReactNode => {
  const path = Object.hasOwn(paths, type) ? paths[type] : undefined
  return path === undefined ? <Id value={id} /> : (
    <PlaceLink href={`/w/${workspace}/${path}/${id}`}>
      <Id value={id} />
    </PlaceLink>
  )
}
