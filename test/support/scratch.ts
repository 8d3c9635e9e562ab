/**
 * The folder for the files of a run: in memory if the machine has room, because PostgreSQL's flushes cost nothing there
 * and stay enabled.
 */
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memoryFolder = "/dev/shm"
/** The databases and logs of a whole run take less than half of this. */
const roomMin = 4 * 2 ** 30

const hasRoom = (): boolean => {
  try {
    accessSync(memoryFolder, constants.W_OK)
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= roomMin && process.availableMemory() >= roomMin
  } catch {
    return false
  }
}

/** A new folder; the caller removes it. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? memoryFolder : tmpdir(), prefix))
