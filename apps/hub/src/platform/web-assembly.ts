/** The part of WebAssembly that the hub uses. TypeScript has its types only among those of browsers. */

export type WasmModule = object

interface WebAssemblyApi {
  readonly Module: new(bytes: Uint8Array) => WasmModule
  readonly Instance: new(module: WasmModule, imports: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
