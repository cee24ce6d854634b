package dev.sharding.demo.chaos;

import java.nio.file.Path;
import java.util.List;

import dev.sharding.demo.Probe;
import dev.sharding.demo.RingSite;
import dev.sharding.demo.Stage;

/** All that a fault can be done with. */
record Scene(Stage stage, List<RingSite> rings, Extent extent, Troupe troupe, AuditTail tail, Scribe scribe,
		Probe probe, Places places, Path logs) {
}
