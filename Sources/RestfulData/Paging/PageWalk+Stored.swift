import Foundation
import ObjectStore
import RESTTransport

// A list that the store has in pages of another length than the caller asks for.

extension PageWalk {
    /// Reads the list from stored pages of another length, where the policy asks no server: all pages, up to the last.
    ///
    /// The length of the server's own first page is unknown, so a caller that wants the first page gets the whole list.
    ///
    /// - Returns: nil for another policy, and where one of those pages is missing.
    nonisolated(nonsending) func storedInOtherSizes(_ pages: Pages) async throws(APIError) -> PageCourse? {
        guard first.policy.kind == .offline, !takesWhatIsStored else { return nil }
        for url in try urlsOfOtherSizes() {
            var walk = self
            walk.first.url = url
            do throws(APIError) {
                return try await walk.fetchAsAsked(pages == .first ? .all() : pages)
            } catch {
                guard case .notStored = error else { throw error }
            }
        }
        return nil
    }

    /// The URLs of stored first pages that differ from the requested one in the length of a page only.
    private func urlsOfOtherSizes() throws(APIError) -> [RequestURL] {
        let (api, size) = (first.client.api, first.client.api.conventions.pageSize)
        guard let model = first.model, let own = URL(string: api.requestURL(first.url))?.absoluteString else {
            return []
        }
        let stored: [String]
        do { stored = try first.context.answeredURLs(of: model.table) } catch { throw .store(error) }
        let list = RequestURL(own).ofAnyLength(sizedBy: size)
        // The file has URLs without their secrets: the complete URL of such a page is unknown.
        return stored.filter { $0 != own && !$0.contains("REDACTED") }.map { RequestURL($0) }
            .filter { $0.ofAnyLength(sizedBy: size) == list }
    }
}
