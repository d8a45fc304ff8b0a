import Foundation
import RestfulData
import Testing

/// A store whose API is a service as it is when it begins, and the requests that go there.
@MainActor struct Visit {
    let house: House
    let store: Store
    let record = Record()
    var main: Context { store.main }

    init(_ house: House, models: [any Model.Type] = Blog.models, saveMethod: API.SaveMethod = .patch) async throws {
        self.house = house
        try await Self.reset(house)
        store = try Self.open(house, models, saveMethod, record)
    }

    /// Another client of the same service, which has seen nothing yet.
    func stranger(saveMethod: API.SaveMethod = .patch) throws -> Store {
        try Self.open(house, Blog.models, saveMethod, Record())
    }

    private static func open(
        _ house: House, _ models: [any Model.Type], _ saveMethod: API.SaveMethod, _ record: Record
    ) throws -> Store {
        let address = try #require(house.address)
        let api = API(
            address + house.path, conventions: house.conventions, saveMethod: saveMethod, timeout: .seconds(20)
        ) { record }
        return try Store(.temporary, models: models, api: api)
    }

    private static func reset(_ house: House) async throws {
        let address = try #require(house.address)
        let reply = try await HTTPTransport.standard.send(Request(.post, address + "/reset", timeout: .seconds(20)))
        try #require(reply.status == .noContent, "\(reply.status): \(String(decoding: reply.body, as: UTF8.self))")
    }
}
