/**
 * The owner's window: consent before a command runs, resuming after a panic stop, and the folders and rules of this
 * computer. Main decides; the page draws the state that it receives and reports the pressed button. The console can
 * only bring the window to the front. Spec: reference/devices.md "D5: local rules", "D10: doubt is denial", "D11: the
 * owner's window".
 */
import { Context, Effect, Layer } from "effect"
import type { Asked } from "../../bridge/contract.ts"
import { type BridgedOwner, ownerPush, type OwnerState } from "../../bridge/owner.ts"
import { lookForSandbox } from "../../device/sandbox/sandbox.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import type { ConsentDrawing } from "../device/consent.ts"
import { makeLocalAccess } from "../device/local-access.ts"
import { Device } from "../device/service.ts"
import { refusal } from "../platform/answers.ts"
import { wordsOf } from "../platform/error-words.ts"
import { Profiles } from "../profiles/profiles.ts"
import { FolderDialog } from "../windows/folder-dialog.ts"
import { Windows } from "../windows/windows.ts"

/** The methods as main implements them; failures are thrown. */
export type OwnerAnswers = {
  readonly [M in keyof BridgedOwner]: (
    ...ask: [Asked<BridgedOwner[M]>] | Extract<Parameters<BridgedOwner[M]>, readonly []>
  ) => Promise<Extract<Awaited<ReturnType<BridgedOwner[M]>>, { readonly ok: true }>["value"]>
}

const make = Effect.gen(function*() {
  const device = yield* Device
  const windows = yield* Windows
  const profiles = yield* Profiles
  const dialog = yield* FolderDialog
  const log = yield* ConnectionLog
  const { consent, host, panic } = device
  const access = makeLocalAccess(device.folder)

  /** Files are read only when they may have changed, not at each line of the agent's output. */
  let accessState = access.read()
  let seq = 0
  const stateNow = async (): Promise<OwnerState> => {
    const all = await Effect.runPromise(profiles.all)
    const sandbox = await lookForSandbox() !== undefined
    const tells_lock = await consent.reportsLock()
    // No await from here on, so that `seq` follows the order of the states.
    const { identity, problem, roots, rules } = accessState
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
  let sentText = ""
  const push = (): void => {
    if (due) return
    due = true
    // Several synchronous changes are sent as one.
    queueMicrotask(() => {
      due = false
      stateNow().then((state) => {
        const text = JSON.stringify({ ...state, seq: 0 })
        if (text === sentText) return
        sentText = text
        windows.sendOwner(ownerPush, state)
      }, (error: unknown) => log.write("owner_not_told", { detail: wordsOf(error) }))
    })
  }

  /**
   * The question that brought the window to the front: once per question, so that it interrupts typing elsewhere only
   * once.
   */
  let raised: string | undefined
  const onQuestion = (drawing: ConsentDrawing | undefined): void => {
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
    accessState = access.read()
    log.write(event)
    push()
  }
  /**
   * Starts an agent again that failed over its configuration; restarts a running agent when it reads the changed file
   * only at its start.
   */
  const renew = (needsRestart: boolean): void => {
    const { failure, phase } = host.view()
    if (phase === "failed" && failure === "configuration") void host.start()
    else if (needsRestart) void host.reload()
  }

  let picking = false
  const methods: OwnerAnswers = {
    state: async () => {
      accessState = access.read()
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
        throw refusal("not_written", `The device stays stopped, because resuming could not be saved: ${wordsOf(error)}`)
      }
      return null
    },
    saveRules: async ({ seen, text }) => {
      const { needsRestart } = access.saveRules(text, seen)
      changed("owner_saved_rules")
      renew(needsRestart)
      return null
    },
    addRoot: async () => {
      if (picking) throw refusal("picking", "The folder dialog is already open.")
      access.mayAddRoot()
      picking = true
      try {
        const picked = await dialog.pick({ title: "Open a folder to commands", button: "Open to commands" })
        if (picked === undefined) return { added: null }
        const added = access.addRoot(picked)
        changed("owner_opened_folder")
        renew(true)
        return { added }
      } finally {
        picking = false
      }
    },
    removeRoot: async ({ path }) => {
      access.removeRoot(path)
      changed("owner_closed_folder")
      renew(true)
      return null
    }
  }

  let phase = host.view().phase
  const ends = [
    consent.subscribe(onQuestion),
    panic.subscribe(push),
    host.subscribe((view) => {
      // The agent may have been paired, or may have ended because of its files.
      if (view.phase !== phase) accessState = access.read()
      phase = view.phase
      push()
    }),
    windows.onOwnerGone((how) => {
      log.write(`owner_window_${how}`)
      // Denies the displayed command. After a crash the window works for no question, so all are denied.
      if (how === "crashed") return consent.crashed()
      const shown = consent.current()
      if (shown !== undefined) consent.deny(shown.question, "closed")
    })
  ]
  // A command may be pending already.
  onQuestion(consent.current())
  yield* Effect.addFinalizer(() => Effect.sync(() => ends.forEach((end) => end())))
  return Owner.of({ methods })
})

export class Owner extends Context.Service<Owner, { readonly methods: OwnerAnswers }>()("@countersign/desktop/Owner") {
  static readonly layer = Layer.effect(Owner, Effect.suspend(() => make))
}
