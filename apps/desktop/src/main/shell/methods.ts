/** What a window may ask of main beside its hub, by type. */
import type { BridgedShell } from "../../bridge/contract.ts"

/** As main answers: what fails is thrown. `window`: the id of its web contents. */
export type ShellMethods = {
  readonly [M in keyof BridgedShell]: (
    ask: Parameters<BridgedShell[M]>[0],
    window: number
  ) => Promise<Extract<Awaited<ReturnType<BridgedShell[M]>>, { readonly ok: true }>["value"]>
}
