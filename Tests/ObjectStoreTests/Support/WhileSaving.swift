import Dispatch

@testable import ObjectStore

/// Runs `edits` on the main actor while a save of the main context waits for the writer, and then lets it go on.
@MainActor
func whileSaving<Result>(_ store: Store, _ edits: () throws -> Result) async throws -> Result {
    let main = store.main
    let gate = DispatchSemaphore(value: 0)
    let blocking = Task {
        try await store.file.write { writer in
            gate.wait()
            return ((), ChangeSet(writer.schema))
        }
    }
    var hasBegun = false
    let saving = Task {
        hasBegun = true
        try await main.save()
    }
    // The save has taken its values once the task that runs it gives up this actor.
    while !hasBegun { await Task.yield() }
    let result: Result
    do {
        defer { gate.signal() }
        result = try edits()
    }
    try await blocking.value
    try await saving.value
    return result
}
