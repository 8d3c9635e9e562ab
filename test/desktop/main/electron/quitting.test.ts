/** Quitting the built app while an agent runs commands. A separate process, since the app ends only once. */
import { openStateFolder, writeIdentity } from "@countersign/desktop/device/state"
import { DeviceId } from "@countersign/domain/ids"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ensureBuilt, eventually, loadBuiltMain } from "../../../support/built-main.ts"

const hubId = "0b8f7c1e-2f6a-4f0e-9a54-1d2f3c4b5a69"

test(
  "asks first; keeps the tray while it waits for commands, and performs a start that was requested meanwhile after the app has ended",
  async () => {
    ensureBuilt()
    const received: Array<string> = []
    let emit = (_message: unknown): void => {}
    let exits = (_code: number): void => {}
    const { electron, record } = await loadBuiltMain((prepared) => {
      const folder = join(process.env["TEST_USER_DATA"]!, "device")
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeIdentity(openStateFolder(folder), {
        hub: "http://127.0.0.1:9",
        device_id: DeviceId.make(`dev_${"0".repeat(26)}`),
        name: "desk-1",
        instance_id: "one",
        roots: [],
        paired_at: "2026-11-21T00:00:00.000Z"
      })
      writeFileSync(join(folder, "device.key"), "svc_device_key\n", { mode: 0o600 })
      writeFileSync(
        join(process.env["TEST_USER_DATA"]!, "settings.json"),
        JSON.stringify({ version: 1, device: true }),
        { mode: 0o600 }
      )
      // An agent that the test simulates.
      prepared.fork = () => ({
        pid: undefined,
        kill: () => exits(1),
        postMessage: ({ type }: { readonly type: string }) => void received.push(type),
        on: (name: string, listener: (value: never) => void) => {
          if (name === "message") emit = listener as (message: unknown) => void
          else exits = listener as (code: number) => void
        }
      })
    })
    await eventually(() => received.includes("start") ? true : undefined)
    const [tray] = record.trays
    const labels = (): ReadonlyArray<string | undefined> =>
      tray.menu.map(({ label }: { readonly label?: string }) => label)
    const runs = (running: ReadonlyArray<string>) => emit({ type: "state", connected: true, status: "online", running })
    runs(["cmd_1", "cmd_2"])
    await eventually(() => labels().includes("desk-1: online, 2 running") ? true : undefined)
    const { window } = await eventually(() => record.windows[0])

    record.presses.push("Stay")
    electron.app.quit()
    await eventually(() => record.messageBoxes.length === 1 ? true : undefined)
    expect(record.messageBoxes[0]).toMatchObject({
      message: "2 commands still run on this computer",
      buttons: ["Wait for them", "Stop them", "Stay"],
      defaultId: 0,
      cancelId: 2
    })
    expect(window.isDestroyed()).toBe(false)
    // There is no second question before the answer was processed.
    await new Promise<void>((done) => void setImmediate(done))

    record.presses.push("Wait for them")
    electron.app.quit()
    await eventually(() => labels()[0] === "Ends when 2 commands have ended" ? true : undefined)
    expect(window.isDestroyed()).toBe(true)
    expect(labels()).toEqual(["Ends when 2 commands have ended", undefined, "Stop them and quit now"])
    expect(tray.tooltip).toBe("Countersign: Ends when 2 commands have ended")
    expect(received).toEqual(["start", "pause"])
    const windows = record.windows.length
    electron.app.emit("second-instance", {}, ["countersign", `countersign://${hubId}/agents`], "/")
    runs(["cmd_2"])
    expect(labels()[0]).toBe("Ends when 1 command has ended")
    expect(record.exits).toEqual([])

    runs([])
    await eventually(() => received.includes("stop") ? true : undefined)
    exits(0)
    await eventually(() => record.exits.length > 0 ? true : undefined)
    expect(record.exits).toEqual([0])
    expect(record.windows).toHaveLength(windows)
    expect(record.relaunches).toEqual([{ args: expect.arrayContaining([`countersign://${hubId}/agents`]) }])
  },
  600_000
)
