/**
 * A model of the protocol of one device as plain sequential code: its states, instances, commands, and leases. The
 * result of concurrent steps must equal one of their sequential orders.
 */

export type Tool = "shell.run" | "system.info"
export type Status = "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
export type Outcome = "succeeded" | "failed" | "denied" | "timed_out" | "interrupted" | "cancelled"

export const commandsAtOnce = 4
export const offersMost = 3

export interface ModelCommand {
  readonly id: string
  readonly tool: Tool
  readonly session: string
  status: Status
  outcome: Outcome | null
  code: string | null
  lease: number
  offers: number
  acked: boolean
  /** Offered, not acknowledged within 15 s. */
  late: boolean
  cancelAsked: boolean
  unconfirmed: boolean
  /** The device's result of a command that the hub closed before. */
  lateResult: boolean
  queueOver: boolean
  readonly chunks: Array<string>
}

export interface Answer {
  readonly status: number
  readonly code?: string
  readonly facts?: unknown
}

export interface Said {
  readonly status: "online" | "draining" | "paused"
  readonly instance: string | undefined
  readonly boot: string | undefined
  readonly session: string | undefined
  readonly running: ReadonlyArray<{ readonly command_id: string; readonly lease: number }>
}

export const isOver = ({ status }: ModelCommand): boolean =>
  status === "done" || status === "cancelled" || status === "expired"

const refused = (status: number, code: string): Answer => ({ status, code })
const good = (facts?: unknown): Answer => ({ status: 200, ...(facts === undefined ? {} : { facts }) })

export class DeviceModel {
  state: "pending" | "active" | "draining" | "paused" | "revoked" = "active"
  by: "hub" | "device" = "hub"
  /** The hub offered to resume the session, and the device has not confirmed it yet. */
  resuming = false
  granted: ReadonlyArray<Tool> = ["shell.run", "system.info"]
  instance: string | null = null
  boot: string | null = null
  stale = false
  session: string | undefined
  readonly superseded = new Set<string>()
  readonly sessions = new Set<string>()
  readonly commands = new Map<string, ModelCommand>()

  get open(): ReadonlyArray<ModelCommand> {
    return [...this.commands.values()].filter((command) => !isOver(command)).sort((a, b) => a.id < b.id ? -1 : 1)
  }

  private end(command: ModelCommand, status: Status, outcome: Outcome | null, code: string | null): void {
    if (isOver(command)) throw new Error(`the model ends ${command.id} twice`)
    Object.assign(command, { status, outcome, code })
  }

  private get offerable(): ReadonlyArray<ModelCommand> {
    return this.open.filter((command) =>
      command.session === this.session && !command.queueOver && !command.cancelAsked &&
      (command.status === "queued" || (command.late && command.offers < offersMost))
    )
  }

  private controls(status: Said["status"] | undefined): ReadonlyArray<string> {
    const controls = this.open.filter(({ cancelAsked, status }) => cancelAsked && status !== "queued").map(({ id }) =>
      `cancel ${id}`
    )
    if (this.state === "paused" && this.by === "hub") controls.push("pause")
    else if (this.state === "draining" && this.by === "hub") controls.push("drain")
    else if (this.state === "active" && status !== undefined && status !== "online") controls.push("resume")
    return controls
  }

  /** Applies all timeouts; true if any applied. */
  sweep(): boolean {
    let ended = false
    for (const command of this.open) {
      const unstarted = command.late && command.cancelAsked
      const unanswered = command.late && (command.offers >= offersMost || command.queueOver)
      if (command.status === "queued" && command.queueOver) this.end(command, "expired", null, "queue_timeout")
      else if (unstarted) this.end(command, "cancelled", "cancelled", null)
      else if (unanswered) this.end(command, "expired", null, "not_acknowledged")
      else continue
      ended = true
    }
    return ended
  }

  queue(tool: Tool, session: string, id: string | undefined): Answer {
    if (!this.granted.includes(tool) || this.state === "pending" || this.state === "revoked" || this.stale) {
      return refused(403, "not_granted")
    }
    if (this.session !== session) return refused(409, "session_ended")
    if (id === undefined) return { status: 201 }
    this.commands.set(id, {
      id,
      tool,
      session,
      status: "queued",
      outcome: null,
      code: null,
      lease: 0,
      offers: 0,
      acked: false,
      late: false,
      cancelAsked: false,
      unconfirmed: false,
      lateResult: false,
      queueOver: false,
      chunks: []
    })
    return { status: 201 }
  }

  poll(session: string, max: number): Answer {
    if (this.state === "revoked") return refused(401, "device_revoked")
    if (this.session !== session) return refused(409, "session_ended")
    const controls = this.controls(undefined)
    if (this.state !== "active" || this.stale) return good({ data: [], controls })
    // Unexpired offers count too: a device must not hold more commands than it may run.
    const busy = this.open.filter(({ late, status }) => status !== "queued" && !late).length
    const next = this.offerable.slice(0, Math.max(0, Math.min(max, commandsAtOnce - busy)))
    const data: Array<readonly [string, number]> = []
    for (const command of next) {
      if (!this.granted.includes(command.tool)) {
        this.end(command, "expired", null, "not_granted")
        continue
      }
      if (command.acked) throw new Error(`${command.id} was acknowledged and would be offered again`)
      Object.assign(command, { status: "leased", late: false })
      command.lease++
      command.offers++
      data.push([command.id, command.lease])
    }
    return good({ data, controls })
  }

  private supersede(): void {
    for (const command of this.open) {
      if (command.acked) this.end(command, "done", "interrupted", "superseded")
      else if (command.status === "leased") {
        // No caller waits any longer for a device that may never have received the command.
        if (command.cancelAsked) this.end(command, "cancelled", "cancelled", null)
        else Object.assign(command, { status: "queued", late: false })
      }
    }
  }

  private stateSaid(status: Said["status"]): DeviceModel["state"] {
    if (this.resuming && status !== "online") return this.state
    const own = this.by === "device" && (this.state === "paused" || this.state === "draining")
    switch (status) {
      case "paused":
        return this.state === "active" || this.state === "draining" ? "paused" : this.state
      case "draining":
        return this.state === "active" || (own && this.state === "paused") ? "draining" : this.state
      case "online":
        return own ? this.granted.length > 0 ? "active" : "pending" : this.state
    }
  }

  /** `begun`: the session that the hub began, if any. */
  hear({ boot, instance, running, session, status }: Said, begun: string | undefined): Answer {
    if (this.state === "revoked") return refused(401, "device_revoked")
    if (boot !== undefined && boot !== this.boot && this.superseded.has(boot)) return refused(409, "superseded")
    if (session !== undefined && session !== this.session) return refused(409, "session_ended")
    const another = (boot !== undefined && boot !== this.boot) ||
      (instance !== undefined && this.instance !== null && instance !== this.instance)
    if (another) {
      if (this.boot !== null && this.boot !== boot) this.superseded.add(this.boot)
      this.supersede()
      // An instance without a boot id clears it, so that the older instance cannot return under this name.
      this.boot = boot ?? null
    }
    if (instance !== undefined && (another || this.instance === null)) this.instance = instance
    if (this.session === undefined) {
      if (begun === undefined || this.sessions.has(begun)) {
        throw new Error("a heartbeat without a live session begins one")
      }
      this.session = begun
      this.sessions.add(begun)
    } else if (begun !== undefined && begun !== this.session) throw new Error("a heartbeat began a second session")
    const next = this.stale ? "pending" : this.stateSaid(status)
    if (next !== this.state) Object.assign(this, { state: next, by: "device" })
    if (this.stale) Object.assign(this, { granted: [], stale: false })
    if (this.resuming && status === "online") this.resuming = false
    const kept: Array<string> = []
    const lost: Array<string> = []
    for (const { command_id, lease } of running) {
      const command = this.commands.get(command_id)
      const isResumed = command !== undefined && !isOver(command) && command.status !== "queued" &&
        command.lease === lease
      if (isResumed) Object.assign(command, { acked: true, late: false })
      ;(isResumed ? kept : lost).push(command_id)
    }
    const waiting = this.state === "active" ? this.offerable.map(({ id }) => id) : []
    return good({ kept, lost, waiting, controls: this.controls(status), session: this.session })
  }

  private writable(command: ModelCommand, lease: number): Answer | undefined {
    if (this.state === "revoked") return refused(401, "device_revoked")
    return isOver(command) || command.status === "queued" || lease !== command.lease
      ? refused(409, "lease_lost")
      : undefined
  }

  ack(id: string, lease: number): Answer {
    const command = this.commands.get(id)!
    const refusal = this.writable(command, lease)
    if (refusal !== undefined) return refusal
    Object.assign(command, { acked: true, late: false })
    return good(command.status)
  }

  progress(id: string, lease: number, state: "awaiting_consent" | "running"): Answer {
    const command = this.commands.get(id)!
    const refusal = this.writable(command, lease)
    if (refusal !== undefined) return refusal
    if (command.status === "running" && state === "awaiting_consent") return refused(409, "already_running")
    Object.assign(command, { acked: true, late: false, status: state })
    return good(state)
  }

  output(id: string, lease: number, seq: number, data: string): Answer {
    const command = this.commands.get(id)!
    if (this.state === "revoked") return refused(401, "device_revoked")
    const before = command.chunks[seq]
    if (before !== undefined) return before === data ? good(command.chunks.length) : refused(409, "seq_conflict")
    const refusal = this.writable(command, lease)
    if (refusal !== undefined) return refusal
    if (seq > command.chunks.length) return refused(409, "seq_gap")
    command.chunks.push(data)
    Object.assign(command, { acked: true, late: false })
    return good(command.chunks.length)
  }

  done(id: string, lease: number, outcome: Outcome): Answer {
    const command = this.commands.get(id)!
    if (this.state === "revoked") return refused(401, "device_revoked")
    if (isOver(command)) {
      // The outcome applies regardless of the lease. Commands that the hub closed itself still accept late results.
      const closedByHub = command.outcome === "interrupted" || command.unconfirmed || command.status === "expired"
      if (closedByHub && outcome !== "interrupted") command.lateResult = true
    } else {
      const refusal = this.writable(command, lease)
      if (refusal !== undefined) return refusal
      this.end(command, outcome === "cancelled" && command.cancelAsked ? "cancelled" : "done", outcome, null)
    }
    return good([command.status, command.outcome])
  }

  cancel(id: string): Answer {
    const command = this.commands.get(id)!
    if (!isOver(command) && !command.cancelAsked) {
      command.cancelAsked = true
      if (command.status === "queued") this.end(command, "cancelled", "cancelled", null)
    }
    return good([command.status, command.outcome])
  }

  patch(change: { readonly state?: "active" | "draining" | "paused"; readonly granted?: ReadonlyArray<Tool> }): Answer {
    if (this.state === "revoked") return refused(409, "device_revoked")
    const granted = change.granted ?? this.granted
    const wanted = change.state ?? this.state
    if (this.state === "paused" && this.by === "device" && change.state !== undefined) {
      return refused(409, "paused_by_device")
    }
    const working = wanted === "active" || wanted === "pending"
    if (granted.length === 0 && (change.state === "active" || (!working && this.state === "pending"))) {
      return refused(409, "nothing_granted")
    }
    const next = working ? granted.length > 0 ? "active" : "pending" : wanted
    // An operator's drain remains an operator's, even if the device had requested it earlier.
    if (next !== this.state || (next === "draining" && change.state === "draining")) {
      Object.assign(this, { by: "hub", resuming: next === "active" && this.state !== "pending" })
    }
    this.state = next
    this.granted = granted
    if (change.granted !== undefined) this.stale = false
    return good(next)
  }

  endSession(session: string, code = "session_ended"): Answer {
    if (this.session !== session) return good("ended")
    for (const command of this.open.filter((command) => command.session === session)) {
      if (command.acked) this.end(command, "done", "interrupted", code)
      else this.end(command, "expired", null, code)
    }
    this.session = undefined
    return good("ended")
  }

  revoke(): Answer {
    if (this.state !== "revoked") {
      if (this.session !== undefined) this.endSession(this.session, "device_revoked")
      Object.assign(this, { state: "revoked", by: "hub", granted: [] })
    }
    return { status: 204 }
  }

  /** The device sent nothing for two weeks. */
  unseen(): void {
    this.stale = this.state !== "revoked"
  }

  timeOut(id: string): void {
    const command = this.commands.get(id)!
    this.end(command, "done", "interrupted", "lost")
  }

  giveUp(id: string): void {
    const command = this.commands.get(id)!
    this.end(command, "cancelled", "cancelled", null)
    command.unconfirmed = true
  }

  clone(): DeviceModel {
    const copy = new DeviceModel()
    const { commands, sessions, superseded, ...plain } = this
    Object.assign(copy, plain)
    for (const session of sessions) copy.sessions.add(session)
    for (const boot of superseded) copy.superseded.add(boot)
    for (const [id, command] of commands) copy.commands.set(id, { ...command, chunks: [...command.chunks] })
    return copy
  }
}
