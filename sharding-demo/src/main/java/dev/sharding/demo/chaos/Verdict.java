package dev.sharding.demo.chaos;

import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sharding.demo.chaos.Shrink.Shrunk;
import org.jspecify.annotations.Nullable;

/**
 * What everything together says: the run, the programs that are broken on purpose, and
 * what was left of the schedule of a run that went wrong.
 *
 * @param outcome of the run
 * @param controls what was seen of the broken programs
 * @param shrunk what was left of the schedule, null if nobody asked for that
 */
record Verdict(Outcome outcome, List<Controls.Seen> controls, @Nullable Shrunk<Planned> shrunk) {

	/** Programs whose fault was not what was seen first. */
	List<String> missed() {
		return this.controls.stream().filter((seen) -> !seen.caught()).map(Controls.Seen::toString).toList();
	}

	/**
	 * 0 for a run that passed, 1 with violations, 3 if it proves nothing, as too little
	 * happened, or as a broken program was not seen to be one.
	 */
	int status() {
		boolean violated = !this.outcome.violations().isEmpty();
		boolean proven = missed().isEmpty() && this.outcome.tooLittle().isEmpty();
		return violated ? 1 : proven ? 0 : 3;
	}

	/** The last line. */
	String json() {
		ObjectNode json = this.outcome.verdict();
		if (!this.controls.isEmpty()) {
			List<String> missed = missed();
			json.put("controls", this.controls.size()).put("controlsCaught", this.controls.size() - missed.size());
			if (!missed.isEmpty()) {
				ArrayNode names = json.putArray("controlsMissed");
				missed.forEach(names::add);
				json.put("inconclusive", true);
			}
		}
		if (this.shrunk != null) {
			json.put("shrunkTo", this.shrunk.smallest().size())
				.put("shrunkRate", this.shrunk.rate().toString())
				.put("candidates", this.shrunk.candidates());
		}
		return json.toString();
	}

}
