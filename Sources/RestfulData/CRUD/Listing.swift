import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// A list that is fetched page by page.
struct Listing {
    let bridge: Bridge
    let url: String
    let request: ImportRequest
    /// What is stored in the same transaction as the first page.
    var batches: [WriteBatch] = []
    /// Whether the URL is a list's; else one object's.
    var asksForList = true

    /// What came.
    struct Result {
        /// The local keys, in the server's order.
        var ids: [Int64] = []
        /// Of all pages together.
        var report = ImportReport()
        /// Whether these are all there are: no page before the first or after the last, each page a list, of which nothing
        /// was rejected.
        var isWhole = true
        /// Whether the server said that what is here is what it has.
        var isUnmodified = false
        var summary: RequestSummary?
    }

    /// Fetches and imports the pages, each in one transaction.
    ///
    /// A list that is whole on its first page becomes the membership in the same transaction; of a paged one each page is
    /// merged in, and the whole becomes the membership with the last.
    nonisolated(nonsending) func fetch(_ pages: Pages, in context: ObjectContext) async throws(APIError) -> Result {
        let limit = if case .all(let limit) = pages { max(limit, 1) } else { 1 }
        var result = Result()
        var next: String? = url
        // A page that leads back to an earlier one ends the list.
        var seen: Set<String> = []
        while let current = next, seen.count < limit, seen.insert(current).inserted {
            let exchange = Exchange(
                bridge: bridge, method: .get, url: current, table: context.schema.model(request.table, request.model))
            let response = try await exchange.send()
            let shape = bridge.shape(
                of: response, context.schema.model(request.table, request.model), isList: asksForList)
            if shape.hasPrevious, seen.count == 1 { result.isWhole = false }
            let ids = try await store(response, shape, isFirst: seen.count == 1, &result, in: context)
            next = try shape.next(after: ids.last, of: current, request.table, in: context)
            if shape.next != nil, next == nil { result.isWhole = false }
        }
        result.isWhole = result.isWhole && next == nil && result.report.rejectedCount == 0
        if seen.count > 1, result.isWhole { try await storeMembership(result.ids, in: context) }
        return result
    }

    /// - Returns: the local keys of the page's own objects.
    private nonisolated(nonsending) func store(
        _ response: APIResponse, _ shape: ReplyShape, isFirst: Bool, _ result: inout Result, in context: ObjectContext
    ) async throws(APIError) -> [Int64] {
        let summary = RequestSummary(response.request)
        result.summary = result.summary ?? summary
        guard response.status != .notModified else {
            result.isUnmodified = isFirst
            result.isWhole = false
            return []
        }
        // What the caller says of where the objects stand comes before what the style says.
        let isPlaced = !request.keyPath.isEmpty
        if !isPlaced { try shape.check(response, context.schema.tables[request.table]) }
        // 204 is how some servers send an empty list, and `null` within an envelope how others do.
        let isEmptyList =
            response.status == .noContent || (!isPlaced && asksForList && shape.isNull && !response.isNull)
        if !isEmptyList, !isPlaced, !shape.isList { result.isWhole = false }
        var page = request.asPage(isWhole: result.isWhole && isFirst && shape.next == nil)
        if isEmptyList || !isPlaced { page.keyPath = isEmptyList ? [] : shape.keyPath }
        let outcome: ImportOutcome
        do {
            outcome = try await context.openFile().importBody(
                isEmptyList ? Array("[]".utf8) : response.body, page, after: isFirst ? batches : [])
        } catch {
            throw APIError(error, response)
        }
        if isFirst { for batch in batches { context.noteSaved(batch) } }
        result.ids += outcome.roots
        result.report += outcome.report
        let isList = isEmptyList || (isPlaced ? outcome.isList : shape.isList)
        if !isList { result.isWhole = false }
        if !isList, outcome.roots.isEmpty {
            throw .noObject(
                model: context.schema.model(request.table, request.model).modelName, outcome.report, summary)
        }
        return outcome.roots
    }

    private nonisolated(nonsending) func storeMembership(_ ids: [Int64], in context: ObjectContext)
        async throws(APIError)
    {
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

extension ImportRequest {
    /// The same for one page: which is the whole membership only if the list may be, and the page is all of it.
    fileprivate func asPage(isWhole: Bool) -> ImportRequest {
        var page = self
        page.membership = membership.map {
            Membership(table: $0.table, property: $0.property, owner: $0.owner, isWhole: $0.isWhole && isWhole)
        }
        return page
    }
}
