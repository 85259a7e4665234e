# What a person types. Each target says what it does; the steps are in tools/.

.DEFAULT_GOAL := help
.PHONY: help demo test fast fmt tidy bench clean setup

help: ## say what there is
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

demo: setup ## build, import samples, ask, show receipts; into ./demo-data
	@tools/demo.sh

test: setup ## every check and test, the fast ones first
	@tools/test.sh

fast: setup ## formatting, tidy, clippy and the fast tests
	@tools/test.sh fast

fmt: setup ## format the code
	@tools/with.sh cargo fmt --all

tidy: setup ## check documents, manifests and names, and write docs/reference/ anew
	@tools/with.sh cargo run --quiet -p xtask -- reference
	@tools/with.sh cargo run --quiet -p xtask -- tidy

bench: setup ## measure, beside the machine's own limits
	@tools/with.sh cargo run --release -p bench -- all

clean: ## remove what was built and what the demo wrote
	@tools/with.sh cargo clean
	@rm -rf demo-data

# Installs a C compiler (apt-get) and Rust (rustup), each only where it is missing, and says so before it does.
setup: ## install what is missing to build
	@tools/setup.sh
