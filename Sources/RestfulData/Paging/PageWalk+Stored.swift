import Foundation
import ObjectStore
import RESTTransport

extension PageWalk {
    /// Reads all pages of the list from stored pages of another size, if the policy is offline. The server's default
    /// size is unknown, so a caller of the first page gets the whole list.
    ///
    /// - Returns: nil for other policies, or if a page is missing.
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

    /// The URLs of stored first pages that differ only in the page size.
    private func urlsOfOtherSizes() throws(APIError) -> [RequestURL] {
        let (api, size) = (first.client.api, first.client.api.conventions.pageSize)
        guard let model = first.model, let own = URL(string: api.requestURL(first.url))?.absoluteString else {
            return []
        }
        let stored: [String]
        do { stored = try first.context.answeredURLs(of: model.table) } catch { throw .store(error) }
        let list = RequestURL(own).ofAnyLength(sizedBy: size)
        // The full URL of a page with secrets is unknown.
        return stored.filter { $0 != own && !$0.contains("REDACTED") }.map { RequestURL($0) }
            .filter { $0.ofAnyLength(sizedBy: size) == list }
    }
}
