import Logging
import ObjectStore

extension Logger.Level {
    init?(_ level: RequestLogLevel) { self.init(rawValue: level.rawValue) }
}
