import Conventions
import Foundation
import ObjectStore

extension ReplyShape {
    /// The URL of the page that follows.
    ///
    /// - Parameters:
    ///   - last: the local key of the page's last object.
    ///   - current: the URL that this page was fetched from.
    /// - Returns: `nil` where there is none, or the last object has no identity to say.
    func next(
        after last: Int64?, of current: String, _ table: Int, in context: ObjectContext
    ) throws(APIError) -> String? {
        switch next {
        case nil: return nil
        case .url(let url): return url
        case .same(let parameter, let value): return current.replacing(parameter, by: value)
        case .after(let parameter):
            guard let object = last.flatMap({ context.object(table, $0) })?._object,
                let property = object.table.identity.last.map({ object.table.properties[$0] }),
                let text = try? property.wireText(of: object.storedValue(property), object.shape(property)),
                let value = OutboundJSON(text).routeText
            else { return nil }
            return current.replacing(parameter, by: value)
        }
    }
}

extension String {
    /// The URL with a query parameter set to a value, in place of the one that it has.
    fileprivate func replacing(_ parameter: String, by value: String) -> String {
        guard let mark = firstIndex(of: "?") else { return url(self, query: [parameter: RouteValue(value)]) }
        let kept = self[index(after: mark)...].split(separator: "&").filter {
            ($0.split(separator: "=", maxSplits: 1).first.map(String.init)?.removingPercentEncoding) != parameter
        }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return url(self[..<mark] + query, query: [parameter: RouteValue(value)])
    }
}
