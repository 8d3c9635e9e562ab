/** A class that a module does not have is a type error only at the place of use that insists on one; the build scopes the names. */
declare module "*.module.css" {
  const classes: { readonly [name: string]: string }
  export default classes
}

declare module "*.css"
