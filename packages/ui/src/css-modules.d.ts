/** A missing class is a type error only in code that requires one; the build scopes the names. */
declare module "*.module.css" {
  const classes: { readonly [name: string]: string }
  export default classes
}

declare module "*.css"
