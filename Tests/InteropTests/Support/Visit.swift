import Foundation
import RestfulData
import Testing

/// A store for a service in its initial state, the requests to it, and another client of the service.
@MainActor struct Visit {
    let house: House
    let store: Store
    let record = Record()
    /// An empty store, for reading the service's current values.
    let witness: Store
    var main: ObjectContext { store.main }

    init(_ house: House, models: [any Model.Type] = Blog.models, putting: Bool = false) async throws {
        self.house = house
        try await Self.reset(house)
        store = try Self.open(house, models, putting, record)
        witness = try Self.open(house, models, false, Record())
    }

    /// The service's current values of an article, with its author and tags.
    func stored(_ identifier: Int) async throws -> Article {
        _ = try await Author.fetchAll(pages: .all(), in: witness.main)
        _ = try await Tag.fetchAll(pages: .all(), in: witness.main)
        return try await Article.fetch(key: identifier, in: witness.main)
    }

    private static func open(
        _ house: House, _ models: [any Model.Type], _ putting: Bool, _ record: Record
    ) throws -> Store {
        let address = try #require(house.address)
        let api = API(
            address + house.path, conventions: house.conventions, saveMethod: putting ? .put : .patch,
            timeout: .seconds(20)
        ) { record }
        return try Store(.temporary, models: models, api: api)
    }

    private static func reset(_ house: House) async throws {
        let address = try #require(house.address)
        let reply = try await HTTPTransport.standard.send(APIRequest(.post, address + "/reset", timeout: .seconds(20)))
        try #require(reply.status == .noContent, "\(reply.status): \(String(decoding: reply.body, as: UTF8.self))")
    }
}
