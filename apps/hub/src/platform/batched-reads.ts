/**
 * Reads by key, many in one statement: keys that are requested during a statement go together in the next. A single
 * key is read at once.
 */

const keysMaxDefault = 100

interface Waiting<Key, A> {
  readonly key: Key
  readonly resolve: (value: A) => void
  readonly reject: (error: unknown) => void
}

export class BatchedReads<Key, A> {
  private readonly read: (keys: ReadonlyArray<Key>) => Promise<ReadonlyArray<A>>
  private readonly waiting: Array<Waiting<Key, A>> = []
  private readonly keysMax: number
  private isReading = false

  /** `read` answers in the order of its keys, of which one statement has at most `keysMax`. */
  constructor(read: (keys: ReadonlyArray<Key>) => Promise<ReadonlyArray<A>>, keysMax = keysMaxDefault) {
    this.read = read
    this.keysMax = keysMax
  }

  get(key: Key): Promise<A> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject })
      if (!this.isReading) void this.drain()
    })
  }

  private async drain(): Promise<void> {
    this.isReading = true
    while (this.waiting.length > 0) await this.readTogether(this.waiting.splice(0, this.keysMax))
    this.isReading = false
  }

  /** One key that cannot be read fails its own callers only: after a failure, each is read alone. */
  private async readTogether(batch: ReadonlyArray<Waiting<Key, A>>): Promise<void> {
    try {
      const values = await this.read(batch.map(({ key }) => key))
      batch.forEach(({ resolve }, at) => resolve(values[at] as A))
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else await Promise.all(batch.map((one) => this.readTogether([one])))
    }
  }
}
