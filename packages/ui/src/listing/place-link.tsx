/** A link by its whole address, for routes that may belong to another build. */
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"

export interface PlaceLinkProps {
  readonly href: string
  readonly children: ReactNode
  readonly quiet?: boolean
  readonly className?: string | undefined
}

export const PlaceLink = ({ children, className, href, quiet = false }: PlaceLinkProps) => (
  <Link to={href as "/"} quiet={quiet} {...className === undefined ? {} : { className }}>{children}</Link>
)
