package dev.sharding.benchmarks.scale;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.benchmarks.cluster.Figures;

/**
 * Runs the parts one after the other. Progress on stderr, one JSON object as the last
 * line of stdout: a part that fails leaves its keys out and is named.
 */
public final class ScaleBench {

	private static final Map<String, Part> PARTS = parts();

	private ScaleBench() {
	}

	private static Map<String, Part> parts() {
		Map<String, Part> parts = new LinkedHashMap<>();
		parts.put("weight", new Weight());
		parts.put("foreign", new Foreign());
		parts.put("adopt", new Adopt());
		parts.put("resync", new Resyncs());
		parts.put("clean-up", new CleanUp());
		parts.put("scale-up", new ScaleUp());
		parts.put("tight", new TightHeap());
		parts.put("lease", new LeaseRenewals());
		parts.put("small-ring", new SmallRing());
		parts.put("namespaces", new NamespaceChurn());
		parts.put("killed", new Killed());
		return parts;
	}

	/** Runs the benchmark. */
	public static void main(String[] args) {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		Options options = Options.of(args);
		if (!PARTS.keySet().containsAll(options.parts())) {
			System.err.println("The parts are " + PARTS.keySet());
			System.exit(2);
		}
		Figures figures = new Figures("scale");
		figures.put("objects", options.objects());
		boolean failed = false;
		for (Map.Entry<String, Part> part : PARTS.entrySet()) {
			if (options.parts().isEmpty() || options.parts().contains(part.getKey())) {
				failed |= !run(part.getKey(), part.getValue(), options, figures);
			}
		}
		stdout.println(figures);
		// Clients leave threads behind.
		System.exit(failed ? 1 : 0);
	}

	private static boolean run(String name, Part part, Options options, Figures figures) {
		System.err.printf("%s, %d objects%n", name, options.objects());
		long begin = System.nanoTime();
		try (Stage stage = new Stage(options)) {
			part.run(stage, figures);
			return true;
		}
		catch (Exception ex) {
			ex.printStackTrace();
			figures.put("failed:" + name, String.valueOf(ex.getMessage()).replaceAll("[\"\\\\\\p{Cntrl}]", " "));
			return false;
		}
		finally {
			System.err.printf("%s took %d s%n", name, (System.nanoTime() - begin) / 1_000_000_000);
		}
	}

}
