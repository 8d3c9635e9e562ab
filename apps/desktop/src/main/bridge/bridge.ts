/**
 * The only place that answers windows. Each message must come from the main frame of a window of the right role that
 * shows the app's own page, use a channel of the contract, and have arguments that match the schema. Spec:
 * reference/desktop.md "E4: channel checks", "E5: preload".
 */
import type { Input, Output } from "@countersign/hub-client/contract"
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Answer } from "../../bridge/answer.ts"
import {
  type BridgedEndpoint,
  bridgedEndpoints,
  confirmChannel,
  type ConfirmMethod,
  confirmMethods,
  hubChannel,
  shellChannel,
  type ShellMethod,
  shellMethods
} from "../../bridge/channels.ts"
import type { Asked, BridgedOptions, ConfirmBridge } from "../../bridge/contract.ts"
import { endpointSchema } from "../../bridge/endpoint-schemas.ts"
import { ownerAsks } from "../../bridge/owner-schemas.ts"
import { ownerChannel, type OwnerMethod, ownerMethods } from "../../bridge/owner.ts"
import { confirmAsks, optionsSchema, shellAsks } from "../../bridge/shell-schemas.ts"
import { ConnectionDesk } from "../hub/connections.ts"
import { factsOf, failed, invalidRequest, noHub, stalePage } from "../platform/answers.ts"
import { Profiles } from "../profiles/profiles.ts"
import { Shell } from "../shell/shell.ts"
import { isOwnPage } from "../windows/own-page.ts"
import { type Confirming, type WindowRole, Windows } from "../windows/windows.ts"
import { approve, type Asking, decide } from "./approving.ts"
import { Owner } from "./owner.ts"

/** The fields of Electron's event that are checked. */
export interface IpcEvent {
  readonly sender: { readonly id: number; readonly mainFrame: unknown }
  /** Null when the frame is gone. */
  readonly senderFrame: { readonly url: string } | null
}
export interface IpcShape {
  readonly handle: (channel: string, listener: (event: IpcEvent, ...args: Array<unknown>) => Promise<unknown>) => void
  readonly removeHandler: (channel: string) => void
}
export class Ipc extends Context.Service<Ipc, IpcShape>()("@countersign/desktop/Ipc") {}

const invalidArguments = (method: string): Answer<never> =>
  failed(invalidRequest([{ path: method, message: "does not fit" }]))
const readOptions = Schema.decodeUnknownResult(optionsSchema, { onExcessProperty: "error" })

const confirmActs: {
  readonly [M in ConfirmMethod]: (confirming: Confirming, ask: Asked<ConfirmBridge[M]>) => unknown
} = {
  read: ({ facts }) => facts,
  ready: ({ ready }) => ready.then(() => null),
  answer: ({ answer }, { yes }) => ({ refusal: answer(yes) })
}

const make = Effect.gen(function*() {
  const ipc = yield* Ipc
  const windows = yield* Windows
  const profiles = yield* Profiles
  const desk = yield* ConnectionDesk
  const shell = yield* Shell
  const owner = yield* Owner
  const registered: Array<string> = []

  /**
   * Whether the sender is one of the app's windows of this role. The page does not receive the reason for a rejection.
   */
  const allowed = ({ sender, senderFrame }: IpcEvent, role: WindowRole): boolean =>
    senderFrame !== null && senderFrame === sender.mainFrame && isOwnPage(senderFrame.url) &&
    windows.roleOf(sender.id) === role

  const answer = (
    channel: string,
    role: WindowRole,
    act: (window: number, args: ReadonlyArray<unknown>) => Promise<Answer<unknown>>
  ) => {
    ipc.handle(channel, async (event, ...args) => {
      if (!allowed(event, role)) throw new Error("refused")
      try {
        return await act(event.sender.id, args)
      } catch (error) {
        return failed(factsOf(error))
      }
    })
    registered.push(channel)
  }

  /** The hub for which this page was loaded. */
  const hubOf = async (window: number) => {
    const id = await Effect.runPromise(profiles.current)
    if (id !== windows.profileOf(window)) throw stalePage()
    const profile = (await Effect.runPromise(profiles.all)).find((each) => each.id === id)
    const connection = profile === undefined ? undefined : desk.find(profile.id)
    if (profile === undefined || connection === undefined) {
      throw noHub()
    }
    return { profile, connection }
  }

  const answerCall = <E extends BridgedEndpoint>(
    endpoint: E,
    act: (asking: Asking, input: Input<E>, options: BridgedOptions) => Promise<Output<E>>
  ) =>
    answer(hubChannel(endpoint), "console", async (window, [rawInput, rawOptions, ...rest]) => {
      const input = endpointSchema(endpoint).readInput(rawInput)
      const options = readOptions(rawOptions ?? {})
      if (rest.length > 0 || Result.isFailure(options)) {
        return failed(invalidRequest([{ path: "options", message: "are not known" }]))
      }
      if (Result.isFailure(input)) return failed(invalidRequest(input.failure))
      const { connection, profile } = await hubOf(window)
      const value = await act({ profile, connection, confirm: windows.confirm }, input.success, options.success)
      const time = connection.timeSample()
      return { ok: true, value, ...time === undefined ? {} : { time } }
    })
  for (const endpoint of bridgedEndpoints) {
    if (endpoint === "approvals.approve") answerCall(endpoint, approve)
    else if (endpoint === "approvals.decide") answerCall(endpoint, decide)
    else answerCall(endpoint, ({ connection }, input, options) => connection.call(endpoint, input, options))
  }

  /** Registers a method with one argument, which is checked against its schema. */
  const answerAsk = <A>(
    channel: string,
    role: WindowRole,
    method: string,
    asks: Schema.Codec<A, unknown>,
    act: (ask: A, window: number) => Promise<Answer<unknown>>
  ) => {
    const read = Schema.decodeUnknownResult(asks, { onExcessProperty: "error" })
    answer(channel, role, async (window, args) => {
      const ask = read(args[0])
      return args.length > 1 || Result.isFailure(ask) ? invalidArguments(method) : await act(ask.success, window)
    })
  }
  const answerShell = <M extends ShellMethod>(method: M) =>
    answerAsk(
      shellChannel(method),
      "console",
      method,
      shellAsks[method],
      async (ask, window) => ({ ok: true, value: await shell.methods[method](ask, window) })
    )
  const answerConfirm = <M extends ConfirmMethod>(method: M) =>
    answerAsk(confirmChannel(method), "confirm", method, confirmAsks[method], async (ask, window) => {
      const confirming = windows.confirming(window)
      return confirming === undefined
        ? invalidArguments(method)
        : { ok: true, value: await confirmActs[method](confirming, ask) }
    })
  const answerOwner = <M extends OwnerMethod>(method: M) =>
    answerAsk(
      ownerChannel(method),
      "owner",
      method,
      ownerAsks[method],
      async (ask) => ({ ok: true, value: await owner.methods[method](ask) })
    )
  shellMethods.forEach(answerShell)
  confirmMethods.forEach(answerConfirm)
  ownerMethods.forEach(answerOwner)

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const channel of registered) ipc.removeHandler(channel)
    })
  )
})

export const bridgeLayer = Layer.effectDiscard(make)
