/** The base links over the router: typed `to`, `params`, `search`; the address is a real one, for new tabs and for copying. */
import { createLink } from "@tanstack/react-router"
import { ButtonLink as BaseButtonLink } from "../components/button.tsx"
import { Link as BaseLink } from "../components/link.tsx"

export const Link = createLink(BaseLink)
export const ButtonLink = createLink(BaseButtonLink)
