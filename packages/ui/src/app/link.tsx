/**
 * The base link components for the router: typed `to`, `params`, and `search`; the href is real, so that it can be
 * opened in a new tab and copied.
 */
import { createLink } from "@tanstack/react-router"
import { ButtonLink as BaseButtonLink } from "../components/button.tsx"
import { Link as BaseLink } from "../components/link.tsx"

export const Link = createLink(BaseLink)
export const ButtonLink = createLink(BaseButtonLink)
