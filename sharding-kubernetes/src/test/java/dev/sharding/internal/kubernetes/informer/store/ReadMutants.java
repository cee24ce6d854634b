package dev.sharding.internal.kubernetes.informer.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.jspecify.annotations.Nullable;

/**
 * Compiles one source of the informers with one rule taken away, and plays a game against
 * the result.
 */
final class ReadMutants {

	private static final String PACKAGE = "dev.sharding.internal.kubernetes.informer.";

	private static final Path SOURCES = Path.of(System.getProperty("basedir", "."),
			"src/main/java/dev/sharding/internal/kubernetes/informer");

	private ReadMutants() {
	}

	/**
	 * Plays a game from the seeds 1, 2, 3 and so on.
	 * @param game the class whose static method {@code play(long)} is called
	 * @return how the mutant died, or {@code null} if it survived
	 */
	static @Nullable Throwable play(Mutant mutant, Class<?> game, int games) throws Exception {
		Method play = new MutantLoader(compile(mutant)).loadClass(game.getName()).getDeclaredMethod("play", long.class);
		play.setAccessible(true);
		for (int seed = 1; seed <= games; seed++) {
			try {
				play.invoke(null, (long) seed);
			}
			catch (InvocationTargetException ex) {
				return ex.getCause();
			}
		}
		return null;
	}

	private static Map<String, byte[]> compile(Mutant mutant) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, ByteArrayOutputStream> classes = new HashMap<>();
		StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
		JavaFileManager files = new ForwardingJavaFileManager<>(standard) {

			@Override
			public JavaFileObject getJavaFileForOutput(Location location, String className, JavaFileObject.Kind kind,
					FileObject sibling) {
				return output(className, classes);
			}

		};
		String text = mutant.applyTo(Files.readString(SOURCES.resolve(mutant.file())));
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		boolean compiled = compiler
			.getTask(null, files, null, List.of("-proc:none", "-nowarn", "-cp", classPath), null,
					List.of(source(mutant.file(), text)))
			.call();
		if (!compiled) {
			throw new IllegalStateException("Mutant does not compile: " + mutant);
		}
		Map<String, byte[]> bytes = new HashMap<>();
		classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
		return bytes;
	}

	private static JavaFileObject source(String name, String text) {
		return new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return text;
			}

		};
	}

	private static JavaFileObject output(String className, Map<String, ByteArrayOutputStream> classes) {
		return new SimpleJavaFileObject(URI.create("string:///" + className + ".class"), JavaFileObject.Kind.CLASS) {

			@Override
			public OutputStream openOutputStream() {
				return classes.computeIfAbsent(className, (absent) -> new ByteArrayOutputStream());
			}

		};
	}

	/**
	 * A rule that is taken away.
	 *
	 * @param name the rule
	 * @param file the source file
	 * @param find what stands there, exactly once
	 * @param replace what stands there in the mutant
	 */
	record Mutant(String name, String file, String find, String replace) {

		String applyTo(String text) {
			int at = text.indexOf(this.find);
			if (at < 0 || text.indexOf(this.find, at + 1) >= 0) {
				throw new IllegalStateException("Not exactly once in " + this.file + ": " + this.find);
			}
			return text.substring(0, at) + this.replace + text.substring(at + this.find.length());
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	/** Loads mutated classes, and all others of the package anew on top of them. */
	private static final class MutantLoader extends ClassLoader {

		private final Map<String, byte[]> mutated;

		private MutantLoader(Map<String, byte[]> mutated) {
			super(ReadMutants.class.getClassLoader());
			this.mutated = mutated;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				if (loaded != null) {
					return loaded;
				}
				return name.startsWith(PACKAGE) ? define(name) : super.loadClass(name, resolve);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			byte[] bytes = this.mutated.get(name);
			if (bytes != null) {
				return defineClass(name, bytes, 0, bytes.length);
			}
			try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (stream == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] unchanged = stream.readAllBytes();
				return defineClass(name, unchanged, 0, unchanged.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
