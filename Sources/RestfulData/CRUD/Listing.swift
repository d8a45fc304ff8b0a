import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// A list that is fetched page by page.
struct Listing {
    let bridge: Bridge
    let url: String
    var request: ImportRequest

    /// What came.
    struct Result {
        var ids: [Int64] = []
        /// Whether these are all there are: no page before the first or after the last.
        var isWhole = true
    }

    /// Fetches and imports the pages, each in one transaction.
    ///
    /// A list that is whole on its first page becomes the membership in the same transaction; of a paged one each page is
    /// merged in, and the whole becomes the membership with the last.
    nonisolated(nonsending) func fetch(_ pages: Pages, in context: Context) async throws(APIError) -> Result {
        let limit = if case .all(let limit) = pages { limit } else { 1 }
        var result = Result()
        var next: String? = url
        var page = 0
        while let current = next, page < limit {
            let exchange = Exchange(
                bridge: bridge, method: .get, url: current, table: context.schema.tables[request.table])
            let response = try await exchange.send()
            let links = response.links
            next = links.next?.absoluteString
            let isOnlyPage = page == 0 && links.next == nil && links.prev == nil
            result.ids += try await store(response, isOnlyPage: isOnlyPage, in: context)
            if page == 0, links.prev != nil { result.isWhole = false }
            page += 1
        }
        result.isWhole = result.isWhole && next == nil
        if page > 1, result.isWhole { try await storeMembership(result.ids, in: context) }
        return result
    }

    private nonisolated(nonsending) func store(
        _ response: Response, isOnlyPage: Bool, in context: Context
    ) async throws(APIError) -> [Int64] {
        guard response.status != .notModified else { return [] }
        var request = request
        if let membership = request.membership {
            request.membership = ImportRequest.Membership(
                table: membership.table, property: membership.property, owner: membership.owner,
                isWhole: membership.isWhole && isOnlyPage)
        }
        do {
            // 204 is how some servers send an empty list.
            let body = response.hasBody ? response.body : Array("[]".utf8)
            return try await context.openFile().importBody(body, request).roots
        } catch {
            throw APIError(error, response)
        }
    }

    private nonisolated(nonsending) func storeMembership(_ ids: [Int64], in context: Context) async throws(APIError) {
        guard let membership = request.membership, membership.isWhole else { return }
        var batch = WriteBatch()
        batch.isConfirmed = true
        var seen: Set<Int64> = []
        batch.memberships = [
            WriteBatch.Membership(
                table: membership.table, property: membership.property, owner: membership.owner,
                members: ids.filter { seen.insert($0).inserted })
        ]
        do { try await context.openFile().write([batch]) } catch { throw .store(error) }
    }
}
