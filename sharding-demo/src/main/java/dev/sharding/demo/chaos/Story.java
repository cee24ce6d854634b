package dev.sharding.demo.chaos;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sharding.judge.Course;

/**
 * What a picture of a run shows.
 *
 * @param title what was run
 * @param verdict the entries of the verdict
 * @param from when it began
 * @param to when it ended
 * @param bars what was so from when until when, by process
 * @param courses how the objects of each ring were divided
 * @param troubles what was wrong
 * @param repeat the command that plays it again
 */
record Story(String title, Map<String, String> verdict, Instant from, Instant to, List<Bar> bars, List<Course> courses,
		List<Trouble> troubles, String repeat) {

	Story {
		bars = List.copyOf(bars);
		courses = List.copyOf(courses);
		troubles = List.copyOf(troubles);
	}

	/**
	 * @param who the process, or who else is concerned
	 * @param what "run", or the kind of fault
	 * @param text in words
	 */
	record Bar(String who, String what, Instant from, Instant to, String text) {
	}

	/** Something that should not be. */
	record Trouble(Instant at, String what) {
	}

}
