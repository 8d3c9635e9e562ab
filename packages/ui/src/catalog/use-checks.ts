/** The contract's checks of a draft, run shortly after typing stops. */
import type { Detail } from "@countersign/domain/errors"
import { useEffect, useState } from "react"

export type Checks =
  | { readonly state: "checking"; readonly problems: ReadonlyArray<Detail> }
  | { readonly state: "checked"; readonly problems: ReadonlyArray<Detail> }
  /** The checks could not be loaded; the hub checks the draft when it is saved. */
  | { readonly state: "absent"; readonly problems: ReadonlyArray<Detail> }

const restMillis = 300
const none: ReadonlyArray<Detail> = []

export const useChecks = (value: unknown): Checks => {
  const text = JSON.stringify(value)
  const [checks, setChecks] = useState<Checks>({ state: "checking", problems: none })
  useEffect(() => {
    let isLatest = true
    setChecks(({ problems }) => ({ state: "checking", problems }))
    const timer = setTimeout(() => {
      import("./checks.ts").then(
        ({ checkDefinition }) => {
          if (isLatest) {
            setChecks({
              state: "checked",
              problems: checkDefinition(text === undefined ? undefined : JSON.parse(text))
            })
          }
        },
        () => {
          if (isLatest) setChecks({ state: "absent", problems: none })
        }
      )
    }, restMillis)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text])
  return checks
}

/** The problem of one field: at its path, or below it if those paths have no field. */
export const problemAt = (problems: ReadonlyArray<Detail>, path: string, within = false): string | undefined => {
  const found = problems.filter((each) => each.path === path || (within && each.path.startsWith(`${path}.`)))
  return found.length === 0
    ? undefined
    : found.map(({ message, path: at }) => (at === path ? message : `${at.slice(path.length + 1)}: ${message}`)).join(
      " "
    )
}
