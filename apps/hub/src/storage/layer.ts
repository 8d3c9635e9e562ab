/** Objects: rows in the database, bytes in a directory or a bucket. */
import { Layer } from "effect"
import { StorageBlobs } from "./blobs.ts"
import { StorageBlobsHttp, StorageHttp } from "./http.ts"
import { ObjectLedger } from "./ledger.ts"
import { objectStoreLayer } from "./object-store.ts"
import { StorageRepository } from "./repository.ts"
import { Storage } from "./service.ts"
import { StorageSweepRepository } from "./sweep-repository.ts"
import { StorageSweeper } from "./sweeper.ts"
import { Verification } from "./verification.ts"
import { StorageWork } from "./work.ts"

export const repositories = Layer.mergeAll(StorageRepository.layer, StorageSweepRepository.layer)

/** The objects themselves, and the service of agents; dispatch sends it. */
export const work = StorageWork.layer.pipe(
  Layer.provideMerge(Storage.layer),
  Layer.provideMerge(Verification.layer),
  Layer.provideMerge(Layer.mergeAll(ObjectLedger.layer, objectStoreLayer))
)

export const services = StorageSweeper.layer

export const handlers = Layer.mergeAll(StorageBlobsHttp.pipe(Layer.provide(StorageBlobs.layer)), StorageHttp)
