/** Lists: awaited, they are the first page; iterated, they continue through all pages. */
import { AnswerError } from "./errors.ts"

export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
  /** The position from which `/events` continues this list. */
  readonly as_of: string
}

interface AnyPage {
  readonly data: ReadonlyArray<unknown>
  readonly next_cursor: string | null
}

/** A list that is requested when it is awaited or iterated. */
export class Pages<Item, P = Page<Item>> implements PromiseLike<P>, AsyncIterable<Item> {
  readonly #request: (cursor: string | undefined) => Promise<P>
  #first: Promise<P> | undefined

  constructor(request: (cursor: string | undefined) => Promise<P>) {
    this.#request = request
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` returns the first page
  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    this.#first ??= this.#request(undefined)
    return this.#first.then(onPage, onError)
  }

  /** Every page, each requested when it is reached. */
  async *pages(): AsyncGenerator<P, void> {
    let page = await this.then((page) => page)
    for (;;) {
      yield page
      const { next_cursor: cursor } = page as unknown as AnyPage
      if (cursor === null || cursor === undefined) return
      page = await this.#request(cursor)
      if ((page as unknown as AnyPage).next_cursor === cursor) {
        throw new AnswerError("The next page has the cursor of the page before.", { code: "unexpected_answer" })
      }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* (page as unknown as AnyPage).data as ReadonlyArray<Item>
  }
}
