/** The person's last workspace in this browser: `/` redirects there. */
import { kept } from "./kept.ts"

const store = kept<string>(
  "workspace",
  (value) => typeof value === "string" && /^org_\w{1,64}$/u.test(value) ? value : undefined
)

export const lastWorkspace = (): string | undefined => store.get()
export const keepLastWorkspace = (id: string): void => store.set(id)
