package dev.sharding.qos;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Where the rules in force come from.
 *
 * @param origin the ConfigMap, or the configuration of the process
 * @param version the version of the ConfigMap that brought them; empty for the
 * configuration
 * @param since since when they are in force; {@code null} for those of the start
 * @param refused why the present content of the ConfigMap is not in force, or
 * {@code null} if it is, or has no rules
 */
record RulesOrigin(String origin, String version, @Nullable Instant since, @Nullable String refused) {

	static final RulesOrigin CONFIGURATION = new RulesOrigin("configuration", "", null, null);

	/** The rules stay, as what came cannot be used. */
	RulesOrigin refusing(String reason) {
		return new RulesOrigin(this.origin, this.version, this.since, reason);
	}

	Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("origin", this.origin);
		if (!this.version.isEmpty()) {
			details.put("version", this.version);
		}
		if (this.since != null) {
			details.put("since", this.since.toString());
		}
		if (this.refused != null) {
			details.put("refused", this.refused);
		}
		return details;
	}

}
