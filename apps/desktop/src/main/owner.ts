/**
 * The owner's window: the question before a command runs, resuming after a panic stop, and what this computer lends. It decides
 * here; the page draws what it is told and says which button was pressed. The console can only bring it to the front. Spec: D5,
 * D10, D11.
 */
import { Context, Effect, Layer } from "effect"
import { type BridgedOwner, ownerPush, type OwnerState } from "../bridge/owner.ts"
import { lookForSandbox } from "../device/sandbox.ts"
import { refusal } from "./answers.ts"
import { ConnectionLog } from "./connection-log/service.ts"
import type { ConsentDrawing } from "./device/consent.ts"
import { makeLending } from "./device/lending.ts"
import { Device } from "./device/service.ts"
import { wordsOf } from "./error-words.ts"
import { FolderDialog } from "./folder-dialog.ts"
import { Profiles } from "./profiles/profiles.ts"
import { Windows } from "./windows.ts"

/** As main answers: what fails is thrown. */
export type OwnerAnswers = {
  readonly [M in keyof BridgedOwner]: (
    ...ask: Parameters<BridgedOwner[M]>
  ) => Promise<Extract<Awaited<ReturnType<BridgedOwner[M]>>, { readonly ok: true }>["value"]>
}

const make = Effect.gen(function*() {
  const device = yield* Device
  const windows = yield* Windows
  const profiles = yield* Profiles
  const dialog = yield* FolderDialog
  const log = yield* ConnectionLog
  const { consent, host, panic } = device
  const lending = makeLending(device.folder)

  /** Files are read when they may have changed, not at each line that the agent says. */
  let lent = lending.read()
  let seq = 0
  const stateNow = async (): Promise<OwnerState> => {
    const all = await Effect.runPromise(profiles.all)
    const sandbox = await lookForSandbox() !== undefined
    const tells_lock = await consent.tellsLock()
    // From here on without a pause: what is sent later is newer.
    const { identity, problem, roots, rules } = lent
    return {
      seq: seq++,
      question: consent.current() ?? null,
      panic: panic.state(),
      device: host.view(),
      pairing: identity === undefined ? null : {
        hub: identity.hub,
        device_id: identity.device_id,
        name: identity.name,
        hub_name: all.find(({ url }) => url === identity.hub)?.name ?? null
      },
      pairing_problem: problem ?? null,
      roots,
      rules,
      sandbox,
      tells_lock
    }
  }

  let due = false
  let said = ""
  const push = (): void => {
    if (due) return
    due = true
    // Several changes of one moment are told once.
    queueMicrotask(() => {
      due = false
      stateNow().then((state) => {
        const text = JSON.stringify({ ...state, seq: 0 })
        if (text === said) return
        said = text
        windows.sendOwner(ownerPush, state)
      }, (error: unknown) => log.write("owner_not_told", { detail: wordsOf(error) }))
    })
  }

  /** The question for which the window came to the front: once for each, so that typing elsewhere is disturbed once. */
  let raised: string | undefined
  const heed = (drawing: ConsentDrawing | undefined): void => {
    if (drawing === undefined) {
      raised = undefined
      windows.restOwner()
    } else if (drawing.question !== raised) {
      raised = drawing.question
      try {
        Effect.runSync(windows.showOwner({ asking: true }))
      } catch (error) {
        log.write("owner_window_failed", { detail: wordsOf(error) })
        consent.crashed()
      }
    }
    push()
  }

  const changed = (event: string): void => {
    lent = lending.read()
    log.write(event)
    push()
  }
  /** One that could not start by what was wrong here tries again; one that runs begins anew when it read it at its start. */
  const renew = (needsRestart: boolean): void => {
    const { failure, phase } = host.view()
    if (phase === "failed" && failure === "configuration") void host.start()
    else if (needsRestart) void host.reload()
  }

  let picking = false
  const methods: OwnerAnswers = {
    state: async () => {
      lent = lending.read()
      return await stateNow()
    },
    drawn: async ({ digest, question }) => {
      consent.drawn(question, digest)
      return null
    },
    read: async ({ digest, question }) => {
      consent.read(question, digest)
      return null
    },
    allow: async ({ digest, question }) => ({ refusal: await consent.allow(question, digest) ?? null }),
    deny: async ({ cause, question }) => {
      consent.deny(question, cause)
      return null
    },
    stop: async () => {
      await panic.stop("window")
      return null
    },
    resume: async () => {
      try {
        await panic.resume()
      } catch (error) {
        throw refusal("not_written", `It stays stopped, as resuming could not be written down: ${wordsOf(error)}`)
      }
      return null
    },
    saveRules: async ({ seen, text }) => {
      const { needsRestart } = lending.saveRules(text, seen)
      changed("owner_saved_rules")
      renew(needsRestart)
      return null
    },
    addRoot: async () => {
      if (picking) throw refusal("picking", "The dialog for a folder is open already.")
      lending.mayAddRoot()
      picking = true
      try {
        const picked = await dialog.pick({ title: "Open a folder to commands", button: "Open to commands" })
        if (picked === undefined) return { added: null }
        const added = lending.addRoot(picked)
        changed("owner_opened_folder")
        renew(true)
        return { added }
      } finally {
        picking = false
      }
    },
    removeRoot: async ({ path }) => {
      lending.removeRoot(path)
      changed("owner_closed_folder")
      renew(true)
      return null
    }
  }

  let phase = host.view().phase
  const ends = [
    consent.subscribe(heed),
    panic.subscribe(push),
    host.subscribe((view) => {
      // It may have been paired, or ended over what is wrong in its files.
      if (view.phase !== phase) lent = lending.read()
      phase = view.phase
      push()
    }),
    windows.onOwnerGone((how) => {
      log.write(`owner_window_${how}`)
      // What is shown is denied; without a window that works, nobody can be asked about the others either.
      if (how === "crashed") return consent.crashed()
      const shown = consent.current()
      if (shown !== undefined) consent.deny(shown.question, "closed")
    })
  ]
  // One that waits already.
  heed(consent.current())
  yield* Effect.addFinalizer(() => Effect.sync(() => ends.forEach((end) => end())))
  return Owner.of({ methods })
})

export class Owner extends Context.Service<Owner, { readonly methods: OwnerAnswers }>()("@countersign/desktop/Owner") {
  static readonly layer = Layer.effect(Owner, Effect.suspend(() => make))
}
