import Dispatch

@testable import ObjectStore

/// Runs `edits` on the main actor while a save of the main context waits for the writer, and then lets it go on.
@MainActor
func whileSaving<Result>(_ store: Store, _ edits: () throws -> Result) async throws -> Result {
    let main = store.main
    return try await whileWriting(store, by: { try await main.save() }, edits)
}

/// The same of anything else that writes into the store's file.
@MainActor
func whileWriting<Result>(
    _ store: Store, by write: @escaping @MainActor () async throws -> Void, _ edits: () throws -> Result
) async throws -> Result {
    let gate = DispatchSemaphore(value: 0)
    let blocking = Task {
        try await store.file.write { writer in
            gate.wait()
            return ((), ChangeSet(writer.schema))
        }
    }
    var hasBegun = false
    let writing = Task {
        hasBegun = true
        try await write()
    }
    // It has taken its values once the task that runs it gives up this actor.
    while !hasBegun { await Task.yield() }
    let result: Result
    do {
        defer { gate.signal() }
        result = try edits()
    }
    try await blocking.value
    try await writing.value
    return result
}
