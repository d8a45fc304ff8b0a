import RestfulData

@testable import ObjectStore

/// A process of its own, as it were, that has a store's file open, as the stores see it: they share nothing but the
/// file.
enum OtherProcess {
    /// Runs `body` with a context, saves its unsaved edits, and ends.
    static func run<Result: Sendable>(
        _ path: String, _ schema: Schema, _ body: @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        try await Home().run(open(path, schema), body)
    }

    /// SQLite reads the path as a URL, which hides from the library that it is the same file.
    static func open(_ path: String, _ schema: Schema) throws -> StoreFile {
        try StoreFile(at: "file:\(path)", schema: schema, companion: nil, options: StoreOptions())
    }

    static func store(_ path: String, _ models: [any Model.Type]) throws -> Store {
        Store(try open(path, Schema(models: models, conventions: .default)))
    }

    private actor Home {
        func run<Result: Sendable>(
            _ file: StoreFile, _ body: @Sendable (ObjectContext) async throws -> Result
        ) async throws -> Result {
            let context = try ObjectContext(file: file, actor: self)
            defer { context.end() }
            let result = try await body(context)
            try await context.save()
            return result
        }
    }
}
