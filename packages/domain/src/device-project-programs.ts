/** Programs that run what they find in the working directory: build files, package scripts, plugins, tests, configuration that is code. */
const projectPrograms: ReadonlySet<string> = new Set([
  // Builds of any language
  "aclocal", "ant", "arara", "autoconf", "automake", "autoreconf", "b2", "bazel", "bazelisk", "bear", "bjam", "bloop", "buck", "buck2", "ccmake", "cmake", "cpack",
  "ctest", "debuild", "dpkg-buildpackage", "earthly", "gmake", "gradle", "gradlew", "just", "latexmk", "libtool", "libtoolize", "mage", "make", "makepkg", "meson",
  "mill", "mvn", "mvnw", "ninja", "pants", "please", "plz", "premake", "qmake", "redo", "remake", "rpmbuild", "samu", "sbt", "scons", "task", "tup", "waf", "xmake",
  // JavaScript
  "astro", "ava", "babel", "c8", "commitlint", "concurrently", "corepack", "cypress", "electron", "electron-builder", "esbuild", "eslint", "eslint_d", "grunt", "gulp",
  "heft", "husky", "jasmine", "jest", "karma", "lerna", "lint-staged", "markdownlint", "mocha", "moon", "next", "ng", "nodemon", "npm", "npm-run-all", "nps", "nuxt",
  "nuxi", "nx", "nyc", "oxlint", "parcel", "playwright", "pm2", "pnpm", "pnpx", "prettier", "prettierd", "remix", "rollup", "run-p", "run-s", "rush", "semantic-release",
  "standard", "storybook", "stylelint", "svelte-kit", "swc", "tap", "ts-node", "tsup", "tsx", "turbo", "vite", "vitest", "vue-cli-service", "wdio", "webpack", "wireit",
  "xo", "yarn", "yarnpkg", "zx",
  // Python
  "alembic", "bandit", "behave", "black", "buildout", "celery", "conda", "coverage", "cython", "django-admin", "doit", "dvc", "easy_install", "fab", "flake8", "flask",
  "gunicorn", "hatch", "hypercorn", "inv", "invoke", "ipython", "isort", "jupyter", "luigi", "mamba", "micromamba", "mkdocs", "mypy", "nose", "nosetests", "nox", "pdm", "pip",
  "pipenv", "pipx", "poetry", "pre-commit", "py.test", "pylint", "pyright", "pytest", "python-build", "robot", "rye", "scrapy", "snakemake", "sphinx-apidoc",
  "sphinx-autobuild", "sphinx-build", "streamlit", "tox", "twine", "uv", "uvicorn", "uvx", "yapf",
  // Ruby, PHP, Perl
  "brakeman", "bundle", "bundler", "cap", "carton", "codecept", "composer", "cpan", "cpanm", "cucumber", "dzil", "foreman", "gem", "guard", "jekyll", "minitest",
  "overcommit", "pest", "php-cs-fixer", "phpcbf", "phpcs", "phpstan", "phpunit", "pod", "prove", "psalm", "puma", "rackup", "rails", "rake", "rector", "rspec", "rubocop",
  "standardrb", "thor", "yath",
  // Compiled languages
  "air", "amm", "cabal", "cargo", "carthage", "cross", "crystal", "dart", "dotnet", "dub", "dune", "elixir", "erl", "escript", "fastlane", "flutter", "ghc", "ginkgo",
  "gleam", "go", "golangci-lint", "goreleaser", "iex", "kotlin", "kotlinc", "lake", "lein", "mix", "msbuild", "nim", "nimble", "nuget", "opam", "paket", "rebar", "runghc",
  "runhaskell", "rustc", "shards", "stack", "swift", "swiftc", "trunk", "xbuild", "xcodebuild", "zig",
  // Machines, environments, deployment
  "act", "ansible", "ansible-galaxy", "ansible-playbook", "asdf", "buildah", "cdk", "cdktf", "chef", "chef-client", "dagger", "devbox", "devenv", "direnv", "docker-compose",
  "guix", "helm", "helmfile", "home-manager", "honcho", "kitchen", "knife", "kustomize", "lefthook", "mise", "molecule", "nerdctl", "nix", "nix-build", "nix-env",
  "nix-instantiate", "nix-shell", "nixos-rebuild", "overmind", "packer", "podman-compose", "process-compose", "procodile", "pulumi", "puppet", "rtx", "salt", "salt-call",
  "sam", "serverless", "skaffold", "sls", "terraform", "terragrunt", "tilt", "tofu", "vagrant",
  // Version control with hooks of the working directory
  "hg", "jj", "svn"
])

/** Its name without directory and version: `pip3.11`, `pytest-3`. */
export const runsProjectCode = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/\.(?:bat|cmd|exe|phar)$/, "")
  return projectPrograms.has(plain) || projectPrograms.has(plain.replace(/[-.\d]+$/, ""))
}
