import { testShortForm } from "../support/short-form.ts"

testShortForm("host")
