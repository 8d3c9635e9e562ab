/** How long callers wait for a store, and the file system that receives their bytes. Tests set others. */
import { confirmSeconds } from "@countersign/domain/storage"
import { Context } from "effect"
import { open } from "node:fs/promises"

export interface Patience {
  /** A confirmation that takes longer is answered with 202. */
  readonly confirmMillis: number
  /** A bucket's store that is silent for this long counts as unreachable: its caller has 503 within 40 s. */
  readonly storeSilenceMillis: number
}

export const patienceDefault: Patience = { confirmMillis: confirmSeconds * 1_000, storeSilenceMillis: 15_000 }

export class StoragePatience extends Context.Reference<Patience>("@countersign/hub/storage/StoragePatience", {
  defaultValue: () => patienceDefault
}) {}

export interface FileOpener {
  readonly open: typeof open
}

/** Opens the files that received bytes are written to. */
export class SpoolFiles extends Context.Reference<FileOpener>(
  "@countersign/hub/storage/SpoolFiles",
  { defaultValue: () => ({ open }) }
) {}
